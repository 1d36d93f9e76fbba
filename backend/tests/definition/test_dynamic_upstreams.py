"""Upstream groups that change while nginx runs: the Lua by a real nginx, Tengine's only as text."""

import os
import signal
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import services
from definition.definitions import sound
from definition.rendered_nginx import RenderedNginx, running
from ngxlab.definition.nginx.config import render
from ngxlab.definition.nginx.dynamic_upstreams import upstream_spec
from ngxlab.definition.resolve import resolve
from ngxlab.definition.validation import require, validate
from ngxlab_policy.syntax import parse
from ngxlab_worker.nginx.ports import free_ports

WORKERS = 4


def raw_with(through: str = "lua", **more: Any) -> dict[str, Any]:
    groups = [{"key": "changing", "nodes": "{{ connections }}", "server": "app"}]
    raw = sound()
    raw["nginx"] |= {
        "workers": WORKERS,
        "http": "",
        "files": [],
        "main": "",
        "server": 'location / { proxy_pass {{ upstream("changing") }}; }',
        "upstreams": {"through": through, "groups": groups, "read_interval_ms": 50, **more},
    }
    return raw


def rendered(through: str = "lua", **more: Any) -> str:
    definition = require(raw_with(through, **more))
    return render(definition, definition.arms[0])


def node_server(ports: Iterable[int]) -> str:
    """Says which of its ports was asked."""
    listens = " ".join(f"listen 127.0.0.1:{port};" for port in ports)
    return f'server {{ {listens} location / {{ return 200 "$server_port"; }} }}'


@contextmanager
def lua_nginx(folder: Path, **more: Any) -> Iterator[tuple[RenderedNginx, list[str]]]:
    """nginx, and the addresses of two nodes that it serves itself."""
    ports = free_ports(2)
    config = rendered(**more).rstrip().removesuffix("}") + node_server(ports) + "\n}\n"
    with running(folder, config) as nginx:
        yield nginx, [f"127.0.0.1:{port}" for port in ports]


def post(nginx: RenderedNginx, name: str, nodes: list[str]) -> tuple[int, bytes]:
    body = "".join(f"server {node};" for node in nodes)
    return nginx.ask(f"/upstream/{name}", method="POST", body=body.encode(), status=True)


def answers(nginx: RenderedNginx, times: int = 40) -> set[str]:
    """Over new connections, so that all workers are asked."""
    return {nginx.ask("/")[1].decode() for _ in range(times)}


def all_answer(nginx: RenderedNginx, node: str) -> bool:
    return answers(nginx) == {node.split(":")[1]}


def test_the_interface_is_that_of_dyups(tmp_path: Path) -> None:
    with lua_nginx(tmp_path) as (nginx, nodes):
        assert nginx.ask("/upstream/changing", status=True)[0] == 404
        assert nginx.ask("/")[0] == 502
        assert post(nginx, "changing", nodes) == (200, b"success\n")
        lines = "".join(f"server {node}\n" for node in nodes).encode()
        services.wait_until(lambda: nginx.ask("/list", status=True) == (200, b"changing\n"), "the list")
        services.wait_until(lambda: nginx.ask("/upstream/changing", status=True) == (200, lines), "the nodes")
        services.wait_until(lambda: b"changing\n" + lines in nginx.ask("/detail", status=True)[1], "the details")
        assert post(nginx, "changing", [])[0] == 400
        assert nginx.ask("/upstream/changing", method="DELETE", status=True) == (200, b"success\n")
        services.wait_until(lambda: {nginx.ask("/")[0] for _ in range(40)} == {502}, "every worker forgetting it")


def test_every_worker_takes_a_change_over(tmp_path: Path) -> None:
    with lua_nginx(tmp_path) as (nginx, nodes):
        post(nginx, "changing", nodes)
        # The first filling is there for all workers at once, whenever they look for changes next.
        assert answers(nginx) == {node.split(":")[1] for node in nodes}
        for node in (nodes[0], nodes[1], nodes[0]):
            post(nginx, "changing", [node])
            services.wait_until(partial(all_answer, nginx, node), "all workers")


def test_a_worker_that_comes_later_knows_the_groups(tmp_path: Path) -> None:
    with lua_nginx(tmp_path, read_interval_ms=60_000) as (nginx, nodes):
        post(nginx, "changing", nodes)
        post(nginx, "changing", nodes[:1])
        os.kill(int((tmp_path / "nginx.pid").read_text()), signal.SIGHUP)
        services.wait_until(lambda: answers(nginx) == {nodes[0].split(":")[1]}, "the new workers")


def test_thousands_of_nodes_are_taken(tmp_path: Path) -> None:
    with lua_nginx(tmp_path) as (nginx, nodes):
        assert post(nginx, "changing", [nodes[0]] * 19_999 + [nodes[1]]) == (200, b"success\n")
        assert nginx.ask("/")[0] == 200
        all_lines = b"".join(f"server {node}\n".encode() for node in [nodes[0]] * 19_999 + [nodes[1]])
        services.wait_until(lambda: nginx.ask("/upstream/changing", status=True) == (200, all_lines), "all nodes")


def test_whoever_holds_the_lock_holds_up_the_others(tmp_path: Path) -> None:
    """Four workers, a change that costs 0.2 s each: the last of them is through after 0.8 s, not sooner."""
    with lua_nginx(tmp_path, lock_us_per_node=100_000) as (nginx, nodes):
        post(nginx, "changing", nodes)
        begin = time.monotonic()
        post(nginx, "changing", list(reversed(nodes)))
        post(nginx, "changing", nodes)
        # The second call finds the lock with a worker that applies the first change, or waits for its own.
        assert time.monotonic() - begin >= 2 * 0.2


def test_with_trylock_nobody_waits(tmp_path: Path) -> None:
    with lua_nginx(tmp_path, lock_us_per_node=100_000, trylock=True) as (nginx, nodes):
        post(nginx, "changing", nodes)
        with ThreadPoolExecutor(8) as pool:
            statuses = {
                found for _ in range(5) for found, _ in pool.map(lambda _: post(nginx, "changing", nodes), range(8))
            }
        assert statuses == {200, 409}


def test_the_simulated_cost_is_asked_for_only_by_a_change(tmp_path: Path) -> None:
    with lua_nginx(tmp_path, lock_us_per_node=100_000) as (nginx, nodes):
        begin = time.monotonic()
        # 1,000 nodes would take 100 s if filling a group for the first time cost anything.
        assert post(nginx, "changing", nodes * 500)[0] == 200
        assert time.monotonic() - begin < 50


def test_a_reload_takes_the_file_over(tmp_path: Path) -> None:
    port, other = free_ports(2)
    config = rendered("reload").rstrip().removesuffix("}") + node_server([port, other]) + "\n}\n"
    path = tmp_path / "upstreams.conf"
    path.write_text(f"upstream changing {{ server 127.0.0.1:{port}; }}")
    with running(tmp_path, config) as nginx:
        assert answers(nginx) == {str(port)}
        path.write_text(f"upstream changing {{ server 127.0.0.1:{other}; }}")
        os.kill(int((tmp_path / "nginx.pid").read_text()), signal.SIGHUP)
        services.wait_until(lambda: answers(nginx) == {str(other)}, "the reload")


def test_tengine_gets_its_directives() -> None:
    config = rendered("tengine", trylock=True, read_interval_ms=500)
    (http,) = [directive for directive in parse(config) if directive.name == "http"]
    assert http.block is not None
    found = {(directive.name, directive.args) for directive in http.block}
    assert ("dyups_read_msg_timeout", ("500ms",)) in {(name, tuple(args)) for name, args in found}
    assert ("dyups_trylock", ("on",)) in {(name, tuple(args)) for name, args in found}
    status, target = [directive.block or () for directive in http.block if directive.name == "server"]
    interface = [d for d in status if d.name == "location" and list(d.args) == ["/"]]
    assert [d.name for d in interface[0].block or ()][-1] == "dyups_interface"
    names = [list(d.args) for d in target if d.name == "set"]
    assert names == [["$ngxlab_upstream_0", "changing"]]
    passed = next(d for d in target if d.name == "location").block or ()
    assert list(passed[0].args) == ["http://$ngxlab_upstream_0"]


def test_the_agent_is_told_what_to_fill() -> None:
    definition = require(raw_with("tengine", health_check="interval=3000 type=tcp"))
    spec = upstream_spec(resolve(definition, definition.arms[0]))
    assert spec is not None
    assert (spec.through, spec.settle_s) == ("api", 0.05)
    assert [(g.name, g.nodes, g.endpoint, g.health_check) for g in spec.groups] == [
        ("changing", 10, "upstream.app", "interval=3000 type=tcp")
    ]


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"server": "location / { proxy_pass http://10.0.0.1; }"}, "nginx.server", "no upstream 10.0.0.1"),
        ({"server": "location / { proxy_pass http://$host; }"}, "nginx.server", "without variables"),
        ({"server": 'location / { proxy_pass {{ upstream("changing") }}x; }'}, "nginx.server", "proxy_pass:"),
        ({"server": 'location / { proxy_pass {{ upstream("other") }}; }'}, "nginx.server", "groups are changing"),
        ({"server": "set $ngxlab_upstream_0 10.0.0.1;"}, "nginx.server", "reserved for ngxlab"),
        ({"server": "set $NGXLAB_Upstream_0 10.0.0.1;"}, "nginx.server", "reserved for ngxlab"),
        ({"server": 'location ~ "(?<ngxlab_upstream_0>.+)" { }'}, "nginx.server", "reserved for ngxlab"),
        ({"server": 'if ($uri ~ "(?P<ngxlab_upstream_0>.+)") { return 200; }'}, "nginx.server", "reserved for ngxlab"),
        ({"server": 'rewrite "^/(?<ngxlab_upstream_0>.+)$" / last;'}, "nginx.server", "reserved for ngxlab"),
        ({"http": "map $uri $ngxlab_upstream_0 { default 10.0.0.1; }"}, "nginx.http", "reserved for ngxlab"),
        ({"http": "map $uri $x { ~(?<ngxlab_upstream_0>.+) 1; }"}, "nginx.http", "reserved for ngxlab"),
        ({"http": 'upstream changing { {{ servers("app") }} }'}, "nginx.http", "already"),
        ({"server": "location / { content_by_lua_block { ngxlab_upstreams.list() } }"}, "nginx.server", "Lua"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("through", ["lua", "tengine", "reload"])
def test_what_a_fragment_may_not_do(through: str, changes: dict[str, str], field: str, said: str) -> None:
    raw = raw_with(through)
    raw["nginx"] |= changes
    problems = validate(raw).problems
    if (through, said) == ("tengine", "already"):
        assert problems == []  # the group is only known to dyups there, by that name or another
        return
    assert any(p.field == field and said.lower() in p.message.lower() for p in problems), problems


@pytest.mark.parametrize(
    ("through", "changes", "field"),
    [
        ("lua", {"groups": [{"key": "a", "nodes": 1, "server": "nobody"}]}, "groups.0.server"),
        ("lua", {"groups": [{"key": "1", "nodes": 1, "server": "app"}]}, "groups.0.key"),
        ("lua", {"groups": [{"key": "a", "nodes": 1, "server": "app"}] * 2}, "groups.1.key"),
        ("lua", {"groups": [{"key": "a", "nodes": 0, "server": "app"}]}, "groups.0.nodes"),
        ("lua", {"health_check": "type=tcp"}, "health_check"),
        ("tengine", {"health_check": "type=tcp; server 10.0.0.1"}, "health_check"),
        ("tengine", {"lock_us_per_node": 1}, "lock_us_per_node"),
        ("reload", {"trylock": True}, "trylock"),
        ("reload", {"lock_us_per_node": 1}, "lock_us_per_node"),
    ],
)
def test_what_makes_no_sense(through: str, changes: dict[str, Any], field: str) -> None:
    raw = raw_with(through, **changes)
    raw["nginx"]["server"] = "return 204;"
    assert [problem.field for problem in validate(raw).problems] == [f"nginx.upstreams.{field}"]
