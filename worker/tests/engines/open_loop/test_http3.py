"""HTTP/3 against a real nginx, whose answer is known: streams in parallel, orderly ends, stalls, and its own log."""

import os
import signal
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ngxlab_contracts.engines import CAPABILITY_FOR
from ngxlab_contracts.streams import ClientSpec, OpenLoopSpec, RateStep, StreamSpec, TlsClientSpec
from ngxlab_worker.engines import GeneratorError, Target
from ngxlab_worker.engines.open_loop import OpenLoopEngine
from ngxlab_worker.nginx.ports import free_ports
from ngxlab_worker.sandbox import Isolation, Sandbox, resolve_run_as
from tests.support.debian13 import Debian13, SandboxWith, UnavailableError, made
from tests.support.served import (
    STALL_S,
    TLS_CONFIG,
    Stalled,
    assert_each_once,
    elapsed_s,
    failed,
    logged,
    nginx,
    quantile,
    requests_of,
    stalled_run,
    target_of,
)
from tests.support.specs import CONFIG
from tests.support.streams import Server, open_loop, running

ACCESS_LOG = "log_format protocol '$server_protocol $status'; access_log @@folder@@/access.log protocol;"
LISTEN = "listen 127.0.0.1:@@http_port@@ ssl;"
OFFERED = (
    TLS_CONFIG.replace("@@status_port@@;", "@@status_port@@; access_log off;")
    .replace("access_log off;", ACCESS_LOG, 1)
    .replace(LISTEN, f"{LISTEN} listen 127.0.0.1:@@http_port@@ quic reuseport;")
)
ANSWER = 'location / { return 200 "OK\\n"; }'

DELAY_S, LASTS_S = 0.25, 2.8
ASLEEP = "@@modules@@\n" + CONFIG.replace(ANSWER, f"location / {{ content_by_lua_block {{ ngx.sleep({DELAY_S}) }} }}")


@dataclass(frozen=True)
class Place:
    """Where nginx and the engine speak HTTP/3. ``server``: what makes an nginx one of them."""

    sandbox: Sandbox
    server: dict[str, Any]


@pytest.fixture(scope="session")
def system() -> Debian13:
    try:
        return made(Path(sys.prefix) / ".systems")
    except UnavailableError as error:
        pytest.skip(f"Debian 13's packages, which have HTTP/3, cannot be had here: {error}")


@pytest.fixture
def place(system: Debian13, user: str | None, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr(sys, "prefix", str(system.prefix))
    sandbox = SandboxWith(Isolation.NAMESPACE, resolve_run_as(user), shown=system.root)
    return Place(sandbox, {"binary": system.nginx, "tls": True})


def http3(per_s: float = 200, **changes: Any) -> StreamSpec:
    return open_loop(per_s, **{"protocol": "http/3", "tls": True, **changes})


def test_nginx_logs_http3_for_every_request_that_is_counted(agent_folder: Path, place: Place) -> None:
    with nginx(agent_folder, place.sandbox, OFFERED, **place.server) as server:
        polled = requests_of(server) + 1
        with running(http3(2000, threads=2), target_of(server), agent_folder, place.sandbox) as stream:
            stream.wait_for("completed", 1000)
            totals = stream.end()
        served = requests_of(server) - polled
        assert logged(agent_folder) == ["HTTP/3.0 200"] * totals.completed
    assert_each_once(stream, totals, served)
    assert stream.counted("connect") == stream.counted("handshake") == totals.handshakes == 4
    assert (totals.connects, totals.connections_max, totals.reconnects) == (4, 4, 0)


def test_a_connection_carries_as_many_requests_at_once_as_nginx_allows(agent_folder: Path, place: Place) -> None:
    # The machine may stall: a second and a third try.
    for number in range(3):
        folders = {streams: agent_folder / f"{number}-{streams}" for streams in (1, 8, 64)}
        found = {streams: under_way(folder, place, streams) for streams, folder in folders.items()}
        if found == {streams: pytest.approx(streams, rel=0.05) for streams in found}:
            return
    pytest.fail(f"requests under way: {found}")


def under_way(folder: Path, place: Place, streams: int) -> float:
    """How many are on average, with one connection to a server that takes ``DELAY_S`` for each, and more requests than
    it can answer: their rate by the time that each takes (Little's law), however slow the machine is."""
    behind = folder / "behind"
    behind.mkdir(parents=True)
    for made_one in (folder, behind):
        made_one.chmod(0o755)
    with nginx(behind, place.sandbox, ASLEEP, modules=["http_lua_module"]) as upstream:
        passes = f"location / {{ proxy_pass http://127.0.0.1:{upstream.endpoint.ports[0]}; }}"
        passes = f"http3_max_concurrent_streams {streams}; {passes}"
        with (
            nginx(folder, place.sandbox, OFFERED.replace(ANSWER, passes), **place.server) as server,
            running(http3(2000, connections=1), target_of(server), folder, place.sandbox) as stream,
        ):
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
    per_s = np.polyfit(at_s, answered, 1)[0]  # by all counts, as answers come in bursts
    return float(per_s * np.average(service.latency_us, weights=service.count) / 1e6)


def test_a_connection_that_nginx_ends_in_order_loses_no_request(agent_folder: Path, place: Place) -> None:
    before, after = OFFERED.rsplit("keepalive_requests 1000000000;", 1)
    config = f"{before}keepalive_requests 1000;{after}"
    plan = OpenLoopSpec(steps=[RateStep(per_s=5000, duration_s=0.5), RateStep(per_s=0, duration_s=60)])
    with (
        nginx(agent_folder, place.sandbox, config, **place.server) as server,
        running(http3(connections=1, open_loop=plan), target_of(server), agent_folder, place.sandbox) as stream,
    ):
        stream.wait_for("completed", 2500)
        totals = stream.end()
        assert logged(agent_folder) == ["HTTP/3.0 200"] * 2500
    assert (totals.intended, totals.sent, totals.completed) == (2500, 2500, 2500)
    assert (totals.unfinished, failed(totals)) == (0, 0)
    assert (totals.connects, totals.reconnects, totals.goaways) == (3, 2, 2)  # 2500 / 1000, rounded up
    assert stream.counted("latency") == stream.counted("schedule") == 2500


def test_a_stall_shows_whole_in_the_latency(agent_folder: Path, place: Place) -> None:
    one: dict[str, Any] = {"protocol": "http/3", "tls": True, "connections": 1, "requests_at_once": 16}
    folders = (agent_folder / str(number) for number in range(3))
    assert any(is_whole(stalled_run(folder, place.sandbox, OFFERED, place.server, **one)) for folder in folders)


def is_whole(found: Stalled) -> bool:
    """Whether no latency is shorter than what follows from the stall; a busy machine makes them longer."""
    exact = 0.98 * quantile(found.exact, 0.99)
    return quantile(found.latency, 0.99) >= exact and found.latency.max() >= 0.98 * STALL_S


WANTED = (
    "client_max_body_size 2m; "
    "if ($request_method != PUT) { return 405; } "
    "if ($content_length != 1000000) { return 411; } "
    'if ($http_x_test != "1") { return 400; } '
    'if ($host != "example.org") { return 421; } '
)


def test_bodies_methods_and_headers_arrive(agent_folder: Path, place: Place) -> None:
    config = OFFERED.replace("location / { ", "location / { " + WANTED)
    headers = {"X-Test": "1", "Host": "example.org"}
    spec = http3(50, method="PUT", body_bytes=1_000_000, headers=headers)
    with (
        nginx(agent_folder, place.sandbox, config, **place.server) as server,
        running(spec, target_of(server), agent_folder, place.sandbox) as stream,
    ):
        stream.wait_for("completed", 20)
        totals = stream.end()
    assert (failed(totals), totals.reconnects) == (0, 0)


def test_large_answers_come_whole(agent_folder: Path, place: Place) -> None:
    text = "x" * 3000
    config = OFFERED.replace(ANSWER, f'location / {{ return 200 "{text}"; }}')
    spec = http3(500, tls_client=TlsClientSpec(server_name="example.org", group="p-256", cipher="aes256-gcm"))
    with (
        nginx(agent_folder, place.sandbox, config, **place.server) as server,
        running(spec, target_of(server), agent_folder, place.sandbox) as stream,
    ):
        stream.wait_for("completed", 200)
        totals = stream.end()
    assert failed(totals) == 0
    assert totals.bytes_read > 3000 * totals.completed


def test_requests_that_nginx_drops_are_resets(agent_folder: Path, place: Place) -> None:
    config = OFFERED.replace(ANSWER, "location / { return 444; }")
    with (
        nginx(agent_folder, place.sandbox, config, **place.server) as server,
        running(http3(), target_of(server), agent_folder, place.sandbox) as stream,
    ):
        stream.wait_for("errors_reset", 10)
        totals = stream.end()
    assert (totals.completed, failed(totals), totals.reconnects) == (0, totals.errors_reset, 0)


def test_requests_that_wait_too_long_are_given_up(agent_folder: Path, place: Place) -> None:
    def take_in(connection: socket.socket) -> None:
        while connection.recv(4096):
            pass

    with Server(take_in) as silent:
        behind = f"location / {{ proxy_pass http://127.0.0.1:{silent.target.port}; }}"
        with (
            nginx(agent_folder, place.sandbox, OFFERED.replace(ANSWER, behind), **place.server) as server,
            running(http3(50, timeout_s=1), target_of(server), agent_folder, place.sandbox) as stream,
        ):
            stream.wait_for("errors_timeout", 5)
            totals = stream.end()
    assert (totals.completed, failed(totals)) == (0, totals.errors_timeout)


def test_connections_that_are_lost_are_counted_with_their_requests(agent_folder: Path, place: Place) -> None:
    with (
        nginx(agent_folder, place.sandbox, OFFERED, **place.server) as server,
        running(http3(1000), target_of(server), agent_folder, place.sandbox) as stream,
    ):
        stream.wait_for("completed", 100)
        for pid in (server.master, *server.workers()):
            os.kill(pid, signal.SIGKILL)
        stream.wait_for("errors_connect", 4)
        totals = stream.end()
    lost = failed(totals) - totals.errors_connect
    assert lost > 0
    assert totals.intended == totals.completed + lost + totals.unfinished


def test_where_nobody_listens_there_is_no_connection(agent_folder: Path, place: Place) -> None:
    target = Target("127.0.0.1", tuple(free_ports(1)))
    with running(http3(), target, agent_folder, place.sandbox) as stream:
        stream.wait_for("errors_connect", 4)
        totals = stream.end()
    assert stream.notes == ["connections-short"]
    assert (totals.sent, totals.connects) == (0, 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"keep_alive": False},
        {"tls": False},
        {"headers": {"Upgrade": "websocket"}},
        {"client": ClientSpec(round_trip_ms=10)},
        {"tls_client": TlsClientSpec(resumed_percent=50)},
        {"tls_client": TlsClientSpec(version="1.2")},
        {"tls_client": TlsClientSpec(group="x25519mlkem768")},
    ],
)
def test_what_http3_does_not_have_is_refused(agent_folder: Path, place: Place, changes: dict[str, Any]) -> None:
    with (
        pytest.raises(GeneratorError),
        running(http3(**changes), Target("127.0.0.1", (1,)), agent_folder, place.sandbox),
    ):
        pass


def test_a_host_says_whether_it_speaks_http3_and_what_would_help() -> None:
    found = {one.name: one for one in OpenLoopEngine().inventory().capabilities}[CAPABILITY_FOR["http/3"]]
    assert found.available or "install" in found.detail


@pytest.mark.usefixtures("place")
def test_where_the_libraries_are_it_does() -> None:
    found = {one.name: one for one in OpenLoopEngine().inventory().capabilities}[CAPABILITY_FOR["http/3"]]
    assert found.available, found.detail
