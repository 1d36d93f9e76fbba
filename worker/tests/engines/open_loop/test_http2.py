"""HTTP/2 against a real nginx, whose answer is known: streams in parallel, orderly ends, stalls, and its own log."""

import socket
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec
from ngxlab_worker.engines import GeneratorError, Target
from ngxlab_worker.sandbox import Sandbox
from tests.support.served import (
    TLS_CONFIG,
    assert_each_once,
    elapsed_s,
    failed,
    is_close,
    logged,
    nginx,
    requests_of,
    stalled_run,
    target_of,
)
from tests.support.specs import CONFIG
from tests.support.streams import Server, open_loop, running

ACCESS_LOG = "log_format protocol '$server_protocol $status'; access_log @@folder@@/access.log protocol;"


def logged_http2(config: str) -> str:
    """With HTTP/2 at the listener, and a line in the log for each of its requests."""
    config = config.replace("@@status_port@@;", "@@status_port@@; access_log off;")
    config = config.replace("access_log off;", ACCESS_LOG, 1)
    return config.replace("127.0.0.1:@@http_port@@", "127.0.0.1:@@http_port@@ http2")


CLEAR, TLS = logged_http2(CONFIG), logged_http2(TLS_CONFIG)

DELAY_S, LASTS_S = 0.25, 2.8
ASLEEP = f"location / {{ content_by_lua_block {{ ngx.sleep({DELAY_S}) }} }}"
BEHIND = "http2_max_concurrent_streams {streams}; location / {{ proxy_pass http://127.0.0.1:@@http_port.2@@; }}"


def slow(streams: int) -> str:
    """Passes requests to a server that answers each after the delay."""
    other = f"    server {{ listen 127.0.0.1:@@http_port.2@@; {ASLEEP} }}\n"
    config = CLEAR.replace("    server {", other + "    server {", 1)
    return "@@modules@@\n" + config.replace('location / { return 200 "OK\\n"; }', BEHIND.format(streams=streams))


def http2(per_s: float = 200, **changes: Any) -> StreamSpec:
    return open_loop(per_s, **{"protocol": "http/2", **changes})


@pytest.mark.parametrize("tls", [True, False])
def test_nginx_logs_http2_for_every_request_that_is_counted(agent_folder: Path, sandbox: Sandbox, tls: bool) -> None:
    with nginx(agent_folder, sandbox, TLS if tls else CLEAR, tls=tls) as server:
        polled = requests_of(server) + 1
        with running(http2(2000, tls=tls, threads=2), target_of(server), agent_folder, sandbox) as stream:
            stream.wait_for("completed", 1000)
            totals = stream.end()
        served = requests_of(server) - polled
        assert logged(agent_folder) == ["HTTP/2.0 200"] * totals.completed
    assert_each_once(stream, totals, served)
    assert (totals.connects, totals.connections_max, totals.reconnects) == (4, 4, 0)


def test_a_connection_carries_as_many_requests_at_once_as_nginx_allows(agent_folder: Path, sandbox: Sandbox) -> None:
    # The machine may stall: a second and a third try for what only a quiet one can show.
    for number in range(3):
        folders = {streams: agent_folder / f"{number}-{streams}" for streams in (1, 8, 64)}
        found = {streams: answered_per_delay(folder, sandbox, streams) for streams, folder in folders.items()}
        if found == {streams: pytest.approx(streams, rel=0.05) for streams in found}:
            return
    pytest.fail(f"answers in {DELAY_S} s: {found}")


def answered_per_delay(folder: Path, sandbox: Sandbox, streams: int) -> float:
    """With one connection to a server that takes ``DELAY_S`` for each request, and more requests than it can answer."""
    folder.mkdir(mode=0o755)
    with nginx(folder, sandbox, slow(streams), ports=2, modules=["http_lua_module"]) as server:
        target = Target(server.endpoint.address, tuple(server.endpoint.ports[:1]))
        with running(http2(2000, connections=1), target, folder, sandbox) as stream:
            seen = []
            while (now_s := elapsed_s(stream)) < LASTS_S:
                seen.append((now_s, stream.count("completed")))
                time.sleep(0.001)
            totals = stream.end()
            latency, service = (stream.generator.page.counts(number) for number in (0, 2))
    assert (totals.connections_max, failed(totals)) == (1, 0)
    assert service.latency_us[0] >= 0.99e6 * DELAY_S
    # What is answered last was due long before it was sent: all streams were taken until then.
    assert latency.latency_us[-1] >= 1e6 * (LASTS_S - DELAY_S - (totals.completed + 1) / 2000)
    at_s, answered = np.array([one for one in seen if one[0] > DELAY_S]).T
    return float(np.polyfit(at_s, answered, 1)[0] * DELAY_S)  # by all counts, as answers come in bursts


def test_a_connection_that_nginx_ends_in_order_loses_no_request(agent_folder: Path, sandbox: Sandbox) -> None:
    before, after = CLEAR.rsplit("keepalive_requests 1000000000;", 1)
    config = f"{before}keepalive_requests 1000;{after}"
    plan = OpenLoopSpec(steps=[RateStep(per_s=5000, duration_s=0.5), RateStep(per_s=0, duration_s=60)])
    with (
        nginx(agent_folder, sandbox, config) as server,
        running(http2(connections=1, open_loop=plan), target_of(server), agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 2500)
        totals = stream.end()
        assert logged(agent_folder) == ["HTTP/2.0 200"] * 2500
    assert (totals.intended, totals.sent, totals.completed) == (2500, 2500, 2500)
    assert (totals.unfinished, failed(totals)) == (0, 0)
    assert (totals.connects, totals.reconnects, totals.goaways) == (3, 2, 2)  # 2500 / 1000, rounded up
    assert stream.counted("latency") == stream.counted("schedule") == 2500


def test_a_stall_shows_whole_in_the_latency(agent_folder: Path, sandbox: Sandbox) -> None:
    one: dict[str, Any] = {"protocol": "http/2", "connections": 1, "requests_at_once": 16}
    tries = (stalled_run(agent_folder / str(number), sandbox, CLEAR, **one) for number in range(3))
    assert any(is_close(found) for found in tries)


WANTED = (
    "client_max_body_size 2m; "
    "if ($request_method != PUT) { return 405; } "
    "if ($content_length != 1000000) { return 411; } "
    'if ($http_x_test != "1") { return 400; } '
    'if ($host != "example.org") { return 421; } '
)


@pytest.mark.parametrize("tls", [True, False])
def test_bodies_methods_and_headers_arrive(agent_folder: Path, sandbox: Sandbox, tls: bool) -> None:
    config = (TLS if tls else CLEAR).replace("location / { ", "location / { " + WANTED)
    headers = {"X-Test": "1", "Host": "example.org"}
    spec = http2(50, method="PUT", body_bytes=1_000_000, headers=headers, tls=tls)
    with (
        nginx(agent_folder, sandbox, config, tls=tls) as server,
        running(spec, target_of(server), agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 20)
        totals = stream.end()
    assert (failed(totals), totals.reconnects) == (0, 0)


def test_a_server_of_http_1_is_no_connection(agent_folder: Path, sandbox: Sandbox) -> None:
    def refuse(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with Server(refuse) as server, running(http2(), server.target, agent_folder, sandbox) as stream:
        stream.wait_for("errors_connect", 4)
        totals = stream.end()
    assert stream.notes == ["connections-short"]
    assert (totals.sent, totals.connects) == (0, 0)


def test_a_tls_server_that_does_not_choose_http2_is_no_connection(agent_folder: Path, sandbox: Sandbox) -> None:
    with (
        nginx(agent_folder, sandbox, TLS_CONFIG, tls=True) as server,
        running(http2(tls=True), target_of(server), agent_folder, sandbox) as stream,
    ):
        stream.wait_for("errors_connect", 4)
        totals = stream.end()
    assert (totals.sent, totals.connects) == (0, 0)


@pytest.mark.parametrize("changes", [{"keep_alive": False}, {"headers": {"Upgrade": "websocket"}}])
def test_what_http2_does_not_have_is_refused(agent_folder: Path, sandbox: Sandbox, changes: dict[str, Any]) -> None:
    with pytest.raises(GeneratorError), running(http2(**changes), Target("127.0.0.1", (1,)), agent_folder, sandbox):
        pass
