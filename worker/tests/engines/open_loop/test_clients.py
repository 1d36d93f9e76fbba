"""Clients that are slow, or go away, by what is known of their rates, and of nginx's buffers."""

import socket
import struct
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ngxlab_contracts.streams import ClientSpec, OpenLoopSpec, RateStep, StreamSpec
from ngxlab_worker.engines import GeneratorError, Target
from ngxlab_worker.engines.open_loop import connection_options
from ngxlab_worker.sandbox import Sandbox
from tests.support.hosts import wait_until
from tests.support.served import TLS_CONFIG, nginx, target_of, values_s
from tests.support.specs import CONFIG
from tests.support.streams import OK, Server, open_loop, read_request, running

LOG = "log_format slow '$request_time $request_length $status'; access_log @@folder@@/access.log slow;"


def configured(content: str, config: str = CONFIG) -> str:
    logged = config.replace("@@status_port@@;", "@@status_port@@; access_log off;").replace("access_log off;", LOG, 1)
    return logged.replace('location / { return 200 "OK\\n"; }', content)


def slow(count: int, client: ClientSpec, **changes: Any) -> StreamSpec:
    """So many requests within a second, and none after that."""
    plan = OpenLoopSpec(steps=[RateStep(per_s=count, duration_s=1), RateStep(per_s=0, duration_s=1)])
    return open_loop(open_loop=plan, client=client, **changes)


def file_of(folder: Path, size: int) -> None:
    folder = folder / "nginx" / "files"
    folder.mkdir(mode=0o755)
    (folder / "large").write_bytes(b"x" * size)


def logged(folder: Path) -> list[list[str]]:
    return [line.split() for line in (folder / "nginx" / "access.log").read_text().splitlines()]


@pytest.mark.parametrize(("config", "read_per_s"), [(CONFIG, 100_000), (TLS_CONFIG, 500_000)])
def test_a_megabyte_takes_as_long_as_its_rate_says(
    agent_folder: Path, sandbox: Sandbox, config: str, read_per_s: int
) -> None:
    """Ten seconds at 100 kB/s."""
    size, is_tls = 1_000_000, config is TLS_CONFIG
    spec = slow(4, ClientSpec(read_bytes_per_s=read_per_s), path="/large", tls=is_tls)
    with nginx(agent_folder, sandbox, configured("root @@folder@@/files;", config), tls=is_tls) as server:
        file_of(agent_folder, size)
        with running(spec, target_of(server), agent_folder, sandbox) as stream:
            stream.wait_for("completed", 4)
            totals = stream.end()
            took = values_s(stream.generator.page.counts(0))
    assert (totals.completed, totals.errors_timeout, totals.errors_read) == (4, 0, 0)
    assert took.tolist() == [pytest.approx(size / read_per_s, rel=0.02)] * 4


@pytest.mark.parametrize(
    "request_", [{"method": "PUT", "body_bytes": 200_000}, {"headers": {f"X-{i}": "x" * 2000 for i in range(10)}}]
)
def test_bodies_and_heads_come_as_slowly(agent_folder: Path, sandbox: Sandbox, request_: dict[str, Any]) -> None:
    """nginx's own time of a request begins with its first byte."""
    per_s = 100_000 if "body_bytes" in request_ else 10_000
    spec = slow(3, ClientSpec(send_bytes_per_s=per_s), **request_)
    content = "large_client_header_buffers 8 32k; client_max_body_size 1m; client_body_buffer_size 1m; "
    content += "location / { proxy_pass http://127.0.0.1:@@http_port.2@@; }"
    sink = "    server { listen 127.0.0.1:@@http_port.2@@; access_log off; large_client_header_buffers 8 32k; "
    sink += "client_max_body_size 1m; location / { return 200; } }\n"
    with nginx(
        agent_folder, sandbox, configured(content).replace("    server {", sink + "    server {", 1), ports=2
    ) as server:
        target = Target(server.endpoint.address, tuple(server.endpoint.ports[:1]))
        with running(spec, target, agent_folder, sandbox) as stream:
            stream.wait_for("completed", 3)
            totals = stream.end()
        lines = logged(agent_folder)
    assert totals.completed == len(lines) == 3
    for took, length, status in lines:
        assert status == "200"
        assert float(took) == pytest.approx(int(length) / per_s, abs=0.06)


def data_segments(connection: socket.socket) -> int:
    """That have come with data (tcpi_data_segs_in of Linux's struct tcp_info)."""
    found: int = struct.unpack_from("=I", connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 160), 152)[0]
    return found


@pytest.mark.parametrize("per_s", [1_000_000, 20_000_000])
def test_a_body_comes_in_as_few_pieces_as_there_are_ticks(agent_folder: Path, sandbox: Sandbox, per_s: int) -> None:
    """A piece each 20 ms, and one more where it does not go through at once: segments of up to 64 KiB."""
    size, segments = 2 * per_s, []

    def count(connection: socket.socket) -> None:
        received = b""
        while not received.endswith(b"\r\n\r\n"):
            received += connection.recv(1)
        left = size
        while left:
            left -= len(connection.recv(65_536))
        segments.append(data_segments(connection))
        connection.sendall(OK)
        connection.recv(1)

    spec = slow(1, ClientSpec(send_bytes_per_s=per_s), connections=1, method="PUT", body_bytes=size)
    with Server(count) as server, running(spec, server.target, agent_folder, sandbox) as stream:
        stream.wait_for("completed", 1)
    ticks = 2 / 0.02
    assert 2 * per_s / 65_536 <= segments[0] <= 2 * (ticks + size / 65_483)


@pytest.mark.parametrize(("share", "patience_s"), [(25, 0), (50, 0.1)])
def test_clients_go_away_as_often_as_they_say(
    agent_folder: Path, sandbox: Sandbox, share: float, patience_s: float
) -> None:
    """nginx logs 499 for each of them, while its upstream server has not answered yet."""
    client = ClientSpec(abort_percent=share, abort_after_s=patience_s)
    spec = slow(200, client, connections=100)

    def late(connection: socket.socket) -> None:
        if read_request(connection):
            time.sleep(0.4)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK\n")

    with Server(late) as upstream:
        content = f"location / {{ proxy_pass http://127.0.0.1:{upstream.target.ports[0]}; }}"
        with nginx(agent_folder, sandbox, configured(content)) as server:
            with running(spec, target_of(server), agent_folder, sandbox) as stream:
                wait_until(lambda: stream.count("completed") + stream.count("aborted") == 200)
                totals = stream.end()
            wait_until(lambda: len(logged(agent_folder)) == 200)
            statuses = Counter(status for _, _, status in logged(agent_folder))
    assert totals.aborted == 200 * share / 100
    assert statuses == {"499": totals.aborted, "200": totals.completed}
    assert totals.sent == 200
    assert (totals.unfinished, totals.errors_read, totals.errors_timeout, totals.errors_garbage) == (0, 0, 0, 0)


def test_who_is_answered_in_time_does_not_go_away(agent_folder: Path, sandbox: Sandbox) -> None:
    spec = slow(100, ClientSpec(abort_percent=100, abort_after_s=30))
    with (
        nginx(agent_folder, sandbox) as server,
        running(spec, target_of(server), agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 100)
        totals = stream.end()
    assert (totals.aborted, totals.reconnects) == (0, 0)


def pour(connection: socket.socket) -> None:
    """An upstream server that sends as much as is taken, more than kernels buffer."""
    if read_request(connection):
        size = 50_000_000
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + b"x" * size)


def copied(pids: list[int]) -> int:
    """Bytes that processes have read by read(2) or readv(2) less those that they have written."""
    counts = [
        int(line.split(": ")[1]) * (1 if line.startswith("rchar") else -1)
        for pid in pids
        for line in Path(f"/proc/{pid}/io").read_text().splitlines()
        if line.startswith(("rchar", "wchar"))
    ]
    return sum(counts)


def waiting_at(port: int) -> int:
    """Bytes in the receive buffers of sockets that are connected to a port of this host's IPv4."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(
        int(queues.split(":")[1], 16) for _, _, remote, _, queues, *_ in lines if remote.endswith(f":{port:04X}")
    )


def test_nginx_holds_the_buffers_that_are_computed_for_a_slow_client(agent_folder: Path, sandbox: Sandbox) -> None:
    """What it has read from its upstream server and not written to its client: all of its proxy buffers, within one.

    The first of it, in the buffer for the head, is read by recv(2) and not in the kernel's count."""
    buffers, buffer, first = 8, 16_384, 4096
    content = f"location / {{ proxy_buffer_size {first}; proxy_buffers {buffers} {buffer}; "
    content += "proxy_max_temp_file_size 0; proxy_pass http://127.0.0.1:%d; }"
    spec = slow(1, ClientSpec(read_bytes_per_s=20_000), connections=1)
    with (
        Server(pour) as upstream,
        nginx(agent_folder, sandbox, configured(content % upstream.target.ports[0])) as server,
    ):
        before = copied(server.workers())
        with running(spec, target_of(server), agent_folder, sandbox) as stream:
            stream.wait_for("bytes_read", 40_000)
            held = copied(server.workers()) - before + first
            in_socket = waiting_at(server.endpoint.ports[0])
            stream.end()
    assert (
        buffers * buffer + first - buffer < held < buffers * buffer + first + 500
    )  # the head that nginx writes itself
    assert in_socket <= 2 * 8192


def test_only_http_1_has_slow_clients(tmp_path: Path) -> None:
    spec = open_loop(client=ClientSpec(read_bytes_per_s=5), protocol="http/2")
    with pytest.raises(GeneratorError, match="slow clients, and those that go away"):
        connection_options(spec, Target("127.0.0.1", (1,)), tmp_path / "request")
