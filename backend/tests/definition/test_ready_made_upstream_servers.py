"""Ready-made upstream servers, rendered and run by a real nginx."""

import select
import socket
import time
import zlib
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from definition.definitions import sound
from definition.rendered_nginx import running
from ngxlab.definition.nginx.upstream_server import render_upstream_server, upstream_server_spec
from ngxlab.definition.validation import require, validate
from ngxlab_contracts.protocol import needed
from ngxlab_contracts.trials import Responder
from ngxlab_policy.document import Surroundings, problems


def rendered(behaviour: dict[str, Any], instances: int = 1, protocol: str = "http") -> str:
    raw = sound()
    raw["upstream_servers"] = [
        {"key": "app", "slot": "upstream", "instances": instances, "behaviour": behaviour, "protocol": protocol}
    ]
    if protocol == "grpc":
        raw["perturbations"] = []
        raw["nginx"]["server"] = raw["nginx"]["server"].replace("proxy_pass http://", "grpc_pass grpc://")
    definition = require(raw)
    return render_upstream_server(definition, definition.upstream_servers[0], definition.arms[0])


@pytest.mark.parametrize("size", [0, 1, 2, 1023, 1024, 5000, 1 << 20])
def test_a_sink_answers_with_as_much_as_asked_for(tmp_path: Path, size: int) -> None:
    with running(tmp_path, rendered({"kind": "sink", "response_bytes": size})) as nginx:
        assert nginx.ask("/any/where") == (200, b"x" * size)


@pytest.mark.parametrize("size", [0, 5, 1024, 5000, 1 << 20])
def test_a_page_is_as_long_as_asked_for_and_compresses_as_pages_do(tmp_path: Path, size: int) -> None:
    with running(tmp_path, rendered({"kind": "sink", "response_bytes": size, "content": "html"})) as nginx:
        status, body = nginx.ask("/")
    assert (status, len(body)) == (200, size)
    if size == 5000:
        assert body.endswith(b".</p>")
        assert 0.3 < len(zlib.compress(body)) / len(body) < 0.6


def test_a_sink_reads_any_body_before_it_answers(tmp_path: Path) -> None:
    with running(tmp_path, rendered({"kind": "sink"}, instances=3), ports=3) as nginx:
        for port, method in enumerate(("POST", "PUT", "DELETE")):
            assert nginx.ask("/", method=method, body=b"x" * 3_000_000, port=port) == (200, b"xx")
        assert not any(path.is_file() for path in (tmp_path / "temp").rglob("*"))


def test_a_sink_waits_for_the_last_byte(tmp_path: Path) -> None:
    """An early answer would let the proxy under test close its client's connection in the middle of a body."""
    head = b"POST / HTTP/1.1\r\nHost: sink\r\nContent-Length: 102400\r\n\r\n"
    with (
        running(tmp_path, rendered({"kind": "sink"})) as nginx,
        socket.create_connection(("127.0.0.1", nginx.ports[0]), timeout=10) as connection,
    ):
        connection.sendall(head + b"x" * 102_399)
        readable, _, _ = select.select([connection], [], [], 0.3)
        assert not readable
        connection.sendall(b"x")
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 OK")


def test_a_number_of_an_arm_gets_into_the_backend(tmp_path: Path) -> None:
    with running(tmp_path, rendered({"kind": "sink", "response_bytes": "{{ connections * 3 }}"})) as nginx:
        assert nginx.ask("/") == (200, b"x" * 30)


_FRONT = """
pid @@pid_file@@;
error_log @@error_log@@;
events {}
http {
    access_log off;
    server { listen 127.0.0.1:@@status_port@@; location = /stub_status { stub_status; } }
    server {
        listen 127.0.0.1:@@port.1@@;
        client_max_body_size 0;
        location / { grpc_pass grpc://127.0.0.1:@@app@@; add_trailer X-Status $upstream_trailer_grpc_status; }
    }
}
"""


@pytest.mark.parametrize(
    "behaviour", [{"kind": "sink", "response_bytes": 5000}, {"kind": "slow", "delay_ms": 50, "response_bytes": 5000}]
)
def test_grpc_is_served_by_http2_and_succeeds(tmp_path: Path, behaviour: dict[str, Any]) -> None:
    config = rendered(behaviour, protocol="grpc")
    assert problems(config, Surroundings()) == []
    for name in ("front", "app"):
        (tmp_path / name).mkdir()
    with (
        running(tmp_path / "app", config) as app,
        running(tmp_path / "front", _FRONT, app=str(app.ports[0])) as front,
    ):
        begin = time.monotonic()
        for method, body in (("GET", None), ("POST", b"y" * 300_000)):
            assert front.ask("/", method=method, body=body) == (200, b"x" * 5000)
        assert time.monotonic() - begin >= 2 * behaviour.get("delay_ms", 0) / 1000 - 0.002
        with socket.create_connection(("127.0.0.1", front.ports[0]), timeout=10) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTE: trailers\r\n\r\n")
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert answer.endswith(b"0\r\nX-Status: 0\r\n\r\n")


def test_what_nginx_does_not_speak_is_no_nginx() -> None:
    raw = sound()
    slow = {"kind": "slow", "delay_ms": 5, "distribution": "uniform", "spread_ms": 2, "response_bytes": 7}
    raw["upstream_servers"] = [{"key": "app", "slot": "upstream", "protocol": "uwsgi", "workers": 3, "behaviour": slow}]
    raw["nginx"]["server"] = raw["nginx"]["server"].replace("proxy_pass http://app", "uwsgi_pass app")
    raw["perturbations"] = []
    definition = require(raw)
    spec = upstream_server_spec(definition, definition.upstream_servers[0], definition.arms[0], binary="/n")
    assert (spec.config, spec.modules, spec.protocol) == ("", [], "uwsgi")
    assert spec.responder == Responder(response_bytes=7, processes=3, delay_ms=5, distribution="uniform", spread_ms=2)
    assert str(needed(spec)) == "2.2"


def seconds(nginx: Any, times: int) -> list[float]:
    taken = []
    for _ in range(times):
        begin = time.monotonic()
        assert nginx.ask("/", method="POST", body=b"y" * 100_000) == (200, b"x" * 7)
        taken.append(time.monotonic() - begin)
    return taken


def test_a_slow_upstream_server_takes_its_time(tmp_path: Path) -> None:
    config = rendered({"kind": "slow", "delay_ms": 100, "response_bytes": 7}, instances=40)
    with running(tmp_path, config, ports=40) as nginx:
        assert all(taken >= 0.099 for taken in seconds(nginx, 5))  # timers of nginx count whole milliseconds


def test_delays_are_spread(tmp_path: Path) -> None:
    spread = {"kind": "slow", "delay_ms": 20, "distribution": "uniform", "spread_ms": 15, "response_bytes": 7}
    with running(tmp_path, rendered(spread)) as nginx:
        uniform = seconds(nginx, 30)
        assert min(uniform) >= 0.005
        assert max(uniform) - min(uniform) > 0.01


def test_delays_are_exponential(tmp_path: Path) -> None:
    config = rendered({"kind": "slow", "delay_ms": 10, "distribution": "exponential", "response_bytes": 7})
    with running(tmp_path, config) as nginx:
        taken = seconds(nginx, 60)
        # A mean of 10 ms over 60 draws has a standard error of 1.3 ms; the host only ever adds to it.
        assert mean(taken) > 0.005
        assert min(taken) < 0.01
        assert max(taken) > 0.02


@pytest.mark.parametrize(
    ("upstream", "said"),
    [
        ({"server": ""}, "or a ready-made behaviour"),
        ({"server": "return 204;", "behaviour": {"kind": "sink"}}, "not both"),
    ],
)
def test_a_backend_has_either_a_behaviour_or_a_server(upstream: dict[str, Any], said: str) -> None:
    raw = sound()
    raw["upstream_servers"] = [{"key": "app", "slot": "upstream", **upstream}]
    (problem,) = validate(raw).problems
    assert problem.field == "upstream_servers.0.server"
    assert said in problem.message
