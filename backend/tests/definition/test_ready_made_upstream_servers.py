"""Ready-made upstream servers, rendered and run by a real nginx."""

import select
import socket
import time
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from definition.definitions import sound
from definition.rendered_nginx import running
from ngxlab.definition.nginx.upstream_server import render_upstream_server
from ngxlab.definition.validation import require, validate


def rendered(behaviour: dict[str, Any], instances: int = 1) -> str:
    raw = sound()
    raw["upstream_servers"] = [{"key": "app", "slot": "upstream", "instances": instances, "behaviour": behaviour}]
    definition = require(raw)
    return render_upstream_server(definition, definition.upstream_servers[0], definition.arms[0])


@pytest.mark.parametrize("size", [0, 1, 2, 1023, 1024, 5000, 1 << 20])
def test_a_sink_answers_with_as_much_as_asked_for(tmp_path: Path, size: int) -> None:
    with running(tmp_path, rendered({"kind": "sink", "response_bytes": size})) as nginx:
        assert nginx.ask("/any/where") == (200, b"x" * size)


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
