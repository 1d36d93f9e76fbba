"""The engine against a real nginx: it keeps its schedule, counts agree, and a stall is fully visible."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from ngxlab_contracts.telemetry import LatencyInterval
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.collectors import read_status
from ngxlab_worker.engines import Target
from ngxlab_worker.engines.histogram import Counts
from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.sandbox import Sandbox
from ngxlab_worker.trial.folder import make_workplace
from numpy.typing import NDArray
from tests.support.hosts import wait_until
from tests.support.specs import CONFIG, NGINX
from tests.support.streams import RunningStream, open_loop, running

TLS_CONFIG = CONFIG.replace(
    "listen 127.0.0.1:@@http_port@@;",
    "listen 127.0.0.1:@@http_port@@ ssl; ssl_certificate @@folder@@/tls.crt; ssl_certificate_key @@folder@@/tls.key;",
)
TWO_PORTS = CONFIG.replace("@@http_port@@;", "@@http_port@@; listen 127.0.0.1:@@http_port.2@@;")


@contextmanager
def nginx(folder: Path, sandbox: Sandbox, config: str = CONFIG, **changes: Any) -> Iterator[NginxServer]:
    spec = NginxSpec(binary=NGINX, config=config, workers=2, **changes)
    server = NginxServer(spec, make_workplace(folder / "nginx", sandbox.run_as), sandbox, time.sleep)
    try:
        server.configure()
        server.start(10)
        yield server
    finally:
        server.stop()


def target_of(server: NginxServer) -> Target:
    return Target(server.endpoint.address, tuple(server.endpoint.ports))


def requests_of(server: NginxServer) -> int:
    """With this poll and all before it."""
    return read_status(server.status_address).requests


def elapsed_s(stream: RunningStream) -> float:
    return (time.monotonic_ns() - stream.generator.page.start_ns) / 1e9


def test_the_plan_is_kept_and_all_counts_agree(agent_folder: Path, sandbox: Sandbox) -> None:
    spec = open_loop(2000, connections=50, threads=2)
    with nginx(agent_folder, sandbox) as server:
        polled = requests_of(server) + 1
        with running(spec, target_of(server), agent_folder, sandbox) as stream:
            wait_until(lambda: elapsed_s(stream) >= 2)
            earliest = elapsed_s(stream)
            totals = stream.end()
            latest = elapsed_s(stream)
        served = requests_of(server) - polled
    assert totals.intended is not None
    asleep_s = 0.05  # what becomes due while a shard waits for a CPU, just before its stop, is not sent any more
    assert (earliest - asleep_s) * 2000 <= totals.intended <= latest * 2000 + 1
    assert totals.sent == totals.completed == totals.intended == served
    assert stream.counted("latency") == stream.counted("service") == stream.counted("schedule") == totals.sent
    assert (totals.unfinished, totals.connects, totals.reconnects, totals.processes) == (0, 50, 0, 2)
    assert totals.connections_max == 50


def test_intervals_decode_and_tile(agent_folder: Path, sandbox: Sandbox) -> None:
    with (
        nginx(agent_folder, sandbox) as server,
        running(open_loop(500), target_of(server), agent_folder, sandbox) as stream,
    ):
        for wanted in (50, 100, 150):
            stream.wait_for("completed", wanted)
            stream.intervals += stream.generator.reading(time.time_ns() // 1000)
        totals = stream.end()
    latency = [interval for interval in stream.intervals if interval.quantity == "latency"]
    assert len(latency) == 4
    assert [one.t1_us for one in latency[:-1]] == [one.t0_us for one in latency[1:]]
    assert sum(decoded(one) for one in latency) == totals.completed


def decoded(interval: LatencyInterval) -> int:
    if interval.histogram is None:
        return 0
    count = int(HdrHistogram.decode(interval.histogram).get_total_count())
    assert count == interval.count
    return count


@pytest.mark.parametrize("keep_alive", [True, False])
def test_tls(agent_folder: Path, sandbox: Sandbox, keep_alive: bool) -> None:
    spec = open_loop(200, tls=True, keep_alive=keep_alive)
    with (
        nginx(agent_folder, sandbox, TLS_CONFIG, tls=True) as server,
        running(spec, target_of(server), agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 100)
        totals = stream.end()
    assert (totals.errors_connect, totals.errors_read, totals.errors_write, totals.errors_timeout) == (0, 0, 0, 0)
    assert (totals.errors_status, totals.errors_garbage) == (0, 0)
    assert totals.completed >= 100
    assert totals.intended == totals.completed + totals.unfinished  # those in flight at the end
    assert totals.completed <= totals.sent <= totals.intended
    assert totals.connects == 4 if keep_alive else totals.sent <= totals.connects <= totals.intended


def test_all_ports_are_used(agent_folder: Path, sandbox: Sandbox) -> None:
    config = TWO_PORTS.replace('return 200 "OK\\n"', 'return 200 "$server_port"')
    with (
        nginx(agent_folder, sandbox, config, ports=2) as server,
        running(open_loop(200, connections=10), target_of(server), agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 50)
        held = [established_to(stream.generator.pid, port) for port in server.endpoint.ports]
        totals = stream.end()
    assert held == [5, 5]
    assert totals.completed == totals.intended


def established_to(pid: int, port: int) -> int:
    """TCP connections to ``port`` among the process's descriptors (proc(5): net/tcp, inode in column 9)."""
    own = {str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()}
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(line[2].endswith(f":{port:04X}") and f"socket:[{line[9]}]" in own for line in lines)


WANTED = (
    "client_max_body_size 2m; "
    "if ($request_method != PUT) { return 405; } "
    "if ($content_length != 1000000) { return 411; } "
    'if ($http_x_test != "1") { return 400; } '
)


@pytest.mark.parametrize("tls", [True, False])
def test_bodies_methods_and_headers_arrive(agent_folder: Path, sandbox: Sandbox, tls: bool) -> None:
    config = (TLS_CONFIG if tls else CONFIG).replace("location / { ", "location / { " + WANTED)
    spec = open_loop(50, method="PUT", body_bytes=1_000_000, headers={"X-Test": "1"}, tls=tls)
    with (
        nginx(agent_folder, sandbox, config, tls=tls) as server,
        running(spec, target_of(server), agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 20)
        totals = stream.end()
    assert totals.errors_status == totals.errors_garbage == totals.errors_read == totals.errors_write == 0
    assert totals.reconnects == 0


def test_head_has_no_body(agent_folder: Path, sandbox: Sandbox) -> None:
    with (
        nginx(agent_folder, sandbox) as server,
        running(open_loop(200, method="HEAD"), target_of(server), agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 50)
        totals = stream.end()
    assert totals.completed == totals.sent
    assert totals.connects == 4


def test_connections_that_the_server_ends_are_opened_anew(agent_folder: Path, sandbox: Sandbox) -> None:
    config = CONFIG.replace("location / {", "location / { keepalive_requests 10;")
    with (
        nginx(agent_folder, sandbox, config) as server,
        running(open_loop(500), target_of(server), agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 200)
        totals = stream.end()
    assert totals.completed == totals.sent
    assert totals.reconnects == pytest.approx(totals.completed / 10, abs=5)


RATE = 1000
STALL_S = 1.0
RUN_S = 5.0


@dataclass(frozen=True)
class Stalled:
    """Quantiles in seconds. ``exact_p99`` follows from the schedule and the stall's two instants alone."""

    latency: NDArray[np.float64]
    service_p99: float
    exact: NDArray[np.float64]


def test_a_stall_shows_whole_in_the_latency_and_hardly_in_the_service_time(
    agent_folder: Path, sandbox: Sandbox
) -> None:
    # The machine may stall too: a second and a third try for what only a quiet one can show.
    tries = (stalled_run(agent_folder / str(number), sandbox) for number in range(3))
    found = next((one for one in tries if close(one)), None)
    assert found is not None
    assert found.service_p99 < 0.5


def close(found: Stalled) -> bool:
    p99, longest = float(quantile(found.latency, 0.99)), float(found.latency.max())
    return p99 == pytest.approx(quantile(found.exact, 0.99), rel=0.02) and longest == pytest.approx(STALL_S, rel=0.02)


def stalled_run(folder: Path, sandbox: Sandbox) -> Stalled:
    """Every request that was due while nginx was stopped is answered at the stall's end, the others at once."""
    folder.mkdir(mode=0o755)
    with (
        nginx(folder, sandbox) as server,
        running(open_loop(RATE, connections=16), target_of(server), folder, sandbox) as stream,
    ):
        wait_until(lambda: elapsed_s(stream) >= 1.5)
        for pid in server.workers():
            os.kill(pid, signal.SIGSTOP)
        began_s = elapsed_s(stream)
        wait_until(lambda: elapsed_s(stream) >= began_s + STALL_S)
        for pid in server.workers():
            os.kill(pid, signal.SIGCONT)
        ended_s = elapsed_s(stream)
        wait_until(lambda: elapsed_s(stream) >= RUN_S)
        totals = stream.end()
        latency, service = (stream.generator.page.counts(number) for number in (0, 2))
    assert totals.completed == totals.intended
    due_s = np.arange(totals.completed) / RATE
    exact = np.where((due_s >= began_s) & (due_s < ended_s), ended_s - due_s, 0.0)
    return Stalled(values_s(latency), float(quantile(values_s(service), 0.99)), exact)


def values_s(counts: Counts) -> NDArray[np.float64]:
    return np.repeat(counts.latency_us, counts.count) / 1e6


def quantile(values: NDArray[np.float64], share: float) -> float:
    """The smallest value that so large a share does not exceed, as HdrHistogram has it."""
    return float(np.sort(values)[int(np.ceil(share * len(values))) - 1])
