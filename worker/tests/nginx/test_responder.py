"""A real nginx in front of upstream servers that speak what it asks by: status, bytes and delay are those declared."""

import http.client
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ngxlab_contracts.trials import NginxSpec, Responder, UpstreamProtocol, UpstreamServerSpec
from ngxlab_policy.document import Surroundings, problems
from ngxlab_worker.nginx import NginxServer, upstream_server
from ngxlab_worker.sandbox import Isolation, Sandbox, resolve_run_as
from ngxlab_worker.trial.folder import make_workplace
from tests.support.specs import NGINX, PROXY_CONFIG, UPSTREAM_CONFIG

PASSES: dict[UpstreamProtocol, str] = {
    "fastcgi": "fastcgi_pass app; fastcgi_param SCRIPT_NAME $uri; fastcgi_param CONTENT_LENGTH $content_length;",
    "uwsgi": "uwsgi_pass app; uwsgi_param REQUEST_URI $request_uri; uwsgi_param CONTENT_LENGTH $content_length;",
    "scgi": "scgi_pass app; scgi_param REQUEST_URI $request_uri;",
    "memcached": "set $memcached_key $uri; memcached_pass app;",
}
GRPC = (
    UPSTREAM_CONFIG.replace(".1@@;", ".1@@ http2;")
    .replace(".2@@;", ".2@@ http2;")
    .replace(
        'return 200 "instance $server_port\\n";',
        f'add_trailer grpc-status 0 always; default_type application/grpc; return 200 "{"x" * 4000}";',
    )
)


@dataclass(frozen=True)
class Ask:
    """Status, body and seconds of one request. ``ports``: of the upstream server."""

    connection: http.client.HTTPConnection
    ports: list[int]

    def __call__(
        self, path: str = "/a/b.php?x=1", method: str = "GET", body: bytes | None = None
    ) -> tuple[int, bytes, float]:
        begun = time.monotonic()
        self.connection.request(method, path, body)
        answer = self.connection.getresponse()
        return answer.status, answer.read(), time.monotonic() - begun


Start = Callable[[UpstreamServerSpec, str], Ask]


def config(passing: str) -> str:
    family = passing.partition("_pass")[0].rpartition(" ")[2]
    ignoring = "" if family == "memcached" else f"    {family}_ignore_headers X-Accel-Redirect;\n"
    own = 'proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection "";'
    return PROXY_CONFIG.replace(own, passing).replace("    upstream app", f"{ignoring}    upstream app")


@pytest.fixture
def start(agent_folder: Path, user: str | None) -> Iterator[Start]:
    run_as = resolve_run_as(user)
    sandbox = Sandbox(Isolation.NAMESPACE, run_as)
    with ExitStack() as leftovers:

        def begin(spec: UpstreamServerSpec, passing: str) -> Ask:
            text = config(passing)
            assert problems(text, Surroundings(frozenset({"app"}))) == []
            app = upstream_server(spec, make_workplace(agent_folder / "upstream", run_as), sandbox, time.sleep)
            leftovers.callback(app.stop)
            app.configure()
            app.start(60)
            target = NginxSpec(binary=NGINX, config=text, workers=2, upstream_servers=["upstream.app"])
            nginx = NginxServer(target, make_workplace(agent_folder / "nginx", run_as), sandbox, time.sleep)
            leftovers.callback(nginx.stop)
            nginx.configure([app.endpoint])
            nginx.start(60)
            (port,) = nginx.values.http_ports
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            leftovers.callback(connection.close)
            return Ask(connection, app.endpoint.ports)

        yield begin


def sockets_at(port: int) -> int:
    """How many sockets of this machine have the port at either end, those of closed connections included."""
    rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    return sum(port in {int(place.rpartition(":")[2], 16) for place in row[1:3]} for row in rows)


def spec(protocol: UpstreamProtocol, instances: int = 1, **told: Any) -> UpstreamServerSpec:
    responder = Responder.model_validate({"response_bytes": 4096, **told})
    return UpstreamServerSpec(
        key="app", binary=NGINX, config="", instances=instances, protocol=protocol, responder=responder
    )


@pytest.mark.parametrize("protocol", PASSES)
@pytest.mark.parametrize("size", [0, 1, 4096, 65_528, 1 << 20])
def test_as_many_bytes_as_declared(start: Start, protocol: UpstreamProtocol, size: int) -> None:
    ask = start(spec(protocol, response_bytes=size), PASSES[protocol])
    for _ in range(3):
        status, body, _ = ask()
        assert (status, body) == (200, b"x" * size)


@pytest.mark.parametrize("protocol", ["fastcgi", "uwsgi", "scgi"])
def test_whole_bodies_are_read(start: Start, protocol: UpstreamProtocol) -> None:
    ask = start(spec(protocol, instances=2, processes=3), f"{PASSES[protocol]} client_max_body_size 0;")
    for size in (1, 70_000, 3_000_000, 0, 1 << 16):
        status, body, _ = ask(method="POST", body=b"y" * size)
        assert (status, len(body)) == (200, 4096)


@pytest.mark.parametrize("protocol", PASSES)
def test_no_answer_comes_before_its_delay(start: Start, protocol: UpstreamProtocol) -> None:
    ask = start(spec(protocol, delay_ms=80), PASSES[protocol])
    assert all(ask()[2] >= 0.08 for _ in range(5))


def test_an_answer_is_as_late_as_declared_and_no_millisecond_later(start: Start) -> None:
    """The quickest of many: a busy machine may delay some."""
    ask = start(spec("fastcgi", delay_ms=7.3), PASSES["fastcgi"])
    assert 0.0073 <= min(ask()[2] for _ in range(100)) < 0.0079


def test_delays_are_spread(start: Start) -> None:
    ask = start(spec("scgi", delay_ms=40, distribution="uniform", spread_ms=30), PASSES["scgi"])
    taken = [ask()[2] for _ in range(30)]
    assert min(taken) >= 0.01
    assert max(taken) - min(taken) > 0.02


@pytest.mark.parametrize(
    ("protocol", "more", "is_kept"),
    [("fastcgi", " fastcgi_keep_conn on;", True), ("memcached", "", True), ("fastcgi", "", False), ("scgi", "", False)],
)
def test_connections_are_kept_where_nginx_asks_for_it(
    start: Start, protocol: UpstreamProtocol, more: str, *, is_kept: bool
) -> None:
    ask = start(spec(protocol, response_bytes=200_000), PASSES[protocol] + more)
    assert [len(ask()[1]) for _ in range(50)] == [200_000] * 50
    assert (sockets_at(ask.ports[0]) < 10) == is_kept


def test_what_nginx_asks_of_memcached_is_answered_by_its_key(start: Start) -> None:
    ask = start(spec("memcached", response_bytes=5), PASSES["memcached"])
    assert ask(f"/{'k' * 240}")[:2] == (200, b"xxxxx")
    assert ask("/a%20b")[:2] == (200, b"xxxxx")


def test_grpc_is_asked_by_http2(start: Start) -> None:
    app = UpstreamServerSpec(key="app", binary=NGINX, config=GRPC, instances=2, protocol="grpc")
    ask = start(app, "grpc_pass grpc://app;")
    for _ in range(3):
        assert ask()[:2] == (200, b"x" * 4000)


def test_what_is_no_request_ends_the_connection(start: Start) -> None:
    ask = start(spec("fastcgi"), PASSES["scgi"])
    assert ask()[0] == 502
    assert ask()[0] == 502
