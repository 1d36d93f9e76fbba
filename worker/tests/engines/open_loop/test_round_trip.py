"""Clients that are a round trip away: what takes how many of them is known."""

import socket
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ngxlab_contracts.streams import ClientSpec, StreamSpec, TlsClientSpec, WebSocketSpec
from ngxlab_contracts.telemetry import Quantity
from ngxlab_worker.engines.open_loop import ready_timeout_s
from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.sandbox import Sandbox
from tests.support.hosts import wait_until
from tests.support.served import TLS_CONFIG, nginx, target_of, values_s
from tests.support.specs import CONFIG
from tests.support.streams import Server, open_loop, running

TRIP_S = 0.05
FAR = ClientSpec(round_trip_ms=1000 * TRIP_S)
ANY_TLS = TLS_CONFIG.replace("access_log off;", "access_log off; ssl_protocols TLSv1.2 TLSv1.3;", 1)
EARLY = ANY_TLS.replace("access_log off;", "access_log off; ssl_early_data on;", 1)
AT_ONCE = TlsClientSpec(version="1.3", resumed_percent=100, early_data_percent=100)
"""Of these the shortest one is looked at: the first ones find no session."""
HTTP2 = CONFIG.replace("listen 127.0.0.1:@@http_port@@;", "listen 127.0.0.1:@@http_port@@ http2;")


def tls(version: Any) -> dict[str, Any]:
    return {"tls": True, "tls_client": TlsClientSpec(version=version)}


@pytest.mark.parametrize(
    ("trips", "config", "said"),
    [
        (1, CONFIG, {}),
        (1, ANY_TLS, tls("1.3")),
        (1, HTTP2, {"protocol": "http/2"}),
        (2, CONFIG, {"keep_alive": False}),
        (3, ANY_TLS, tls("1.3") | {"keep_alive": False}),
        (4, ANY_TLS, tls("1.2") | {"keep_alive": False}),
        (2, EARLY, {"tls": True, "keep_alive": False, "tls_client": AT_ONCE}),
    ],
)
def test_a_request_takes_as_many_round_trips_as_its_protocol_says(
    agent_folder: Path, sandbox: Sandbox, trips: int, config: str, said: dict[str, Any]
) -> None:
    far, near = (open_loop(50, client=client, connections=20, **said) for client in (FAR, None))
    with nginx(agent_folder, sandbox, config, tls="tls" in said) as server:
        for number in range(3):
            more_s = shortest_of(far, server, agent_folder / f"far-{number}", sandbox)
            more_s -= shortest_of(near, server, agent_folder / f"near-{number}", sandbox)
            if more_s == pytest.approx(trips * TRIP_S, abs=0.002):
                return
    pytest.fail(f"takes {more_s:.4f} s more")


def shortest_of(spec: StreamSpec, server: NginxServer, folder: Path, sandbox: Sandbox) -> float:
    """Seconds: the others waited for a CPU, too."""
    folder.mkdir(mode=0o755)
    with running(spec, target_of(server), folder, sandbox) as stream:
        stream.wait_for("completed", 100)
        totals = stream.end()
        took = values_s(stream.generator.page.counts(0))
    assert totals.errors_read == totals.errors_connect == totals.errors_status == 0
    return float(took.min())


@pytest.mark.parametrize(
    ("said", "trips"),
    [
        ({}, 1),
        ({"tls": True}, 3),
        ({"protocol": "http/2"}, 2),
        ({"protocol": "http/2", "tls": True}, 4),
        ({"websocket": WebSocketSpec()}, 2),
        ({"websocket": WebSocketSpec(), "tls": True}, 4),
    ],
)
def test_a_generator_may_take_as_long_as_its_round_trips(said: dict[str, Any], trips: int) -> None:
    spec = open_loop(client=ClientSpec(round_trip_ms=2000), connections=2500, threads=2, **said)
    assert ready_timeout_s(spec) == pytest.approx(10 + 2.5 + 5 * trips * 2)
    assert ready_timeout_s(spec.model_copy(update={"client": None})) == pytest.approx(12.5)


def test_what_was_sent_arrives_though_the_client_has_gone(agent_folder: Path, sandbox: Sandbox) -> None:
    log = "log_format one '$status'; access_log @@folder@@/access.log one;"
    content = "location / { proxy_pass http://127.0.0.1:%d; }"

    def late(connection: socket.socket) -> None:
        connection.recv(4096)
        time.sleep(0.3)

    client = FAR.model_copy(update={"abort_percent": 100})
    with Server(late) as upstream:
        config = CONFIG.replace("@@status_port@@;", "@@status_port@@; access_log off;").replace(
            "access_log off;", log, 1
        )
        config = config.replace('location / { return 200 "OK\\n"; }', content % upstream.target.ports[0])
        with nginx(agent_folder, sandbox, config) as server:
            with running(open_loop(50, client=client), target_of(server), agent_folder, sandbox) as stream:
                stream.wait_for("aborted", 20)
                wait_until(lambda: upstream.accepted >= 20)
                stream.end()
            logged = Counter((agent_folder / "nginx" / "access.log").read_text().split())
    assert logged.keys() == {"499"}


def test_a_body_arrives_whole_where_the_server_is_slow(agent_folder: Path, sandbox: Sandbox) -> None:
    size, arrived = 4_000_000, []

    def slow(connection: socket.socket) -> None:
        received = b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(4096)
        count = len(received.split(b"\r\n\r\n", 1)[1])
        time.sleep(0.3)
        while count < size:
            count += len(connection.recv(65_536))
        arrived.append(count)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        connection.recv(1)

    spec = open_loop(2, client=FAR, method="PUT", body_bytes=size, connections=1)
    with Server(slow) as server, running(spec, server.target, agent_folder, sandbox) as stream:
        stream.wait_for("completed", 1)
    assert arrived[0] == size


@pytest.mark.parametrize(
    ("config", "said", "trips"),
    [
        (CONFIG, {}, {"connect": 1, "first_byte": 1}),
        (ANY_TLS, tls("1.3"), {"connect": 1, "handshake": 1, "first_byte": 1}),
        (ANY_TLS, tls("1.2"), {"connect": 1, "handshake": 2, "first_byte": 1}),
        (HTTP2, {"protocol": "http/2", "keep_alive": True}, {"connect": 1, "first_byte": 1}),
    ],
)
def test_each_part_of_a_request_takes_its_own_round_trips(
    agent_folder: Path, sandbox: Sandbox, config: str, said: dict[str, Any], trips: dict[Quantity, int]
) -> None:
    far = open_loop(50, connections=20, **{"client": FAR, "keep_alive": False, **said})
    with nginx(agent_folder, sandbox, config, tls="tls" in said) as server:
        for number in range(3):
            folder = agent_folder / f"far-{number}"
            folder.mkdir(mode=0o755)
            with running(far, target_of(server), folder, sandbox) as stream:
                stream.wait_for("completed", 50)
                stream.end()
                shortest = {part: float(values_s(stream.generator.counts_of(part)).min()) for part in trips}
            if shortest == {part: pytest.approx(count * TRIP_S, abs=0.005) for part, count in trips.items()}:
                return
    pytest.fail(f"the shortest take {shortest} s")
