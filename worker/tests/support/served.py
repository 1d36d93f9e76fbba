"""A real nginx that a test loads with the open-loop engine, and what is known of a stall of it."""

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from ngxlab_contracts.telemetry import EngineTotals
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


@contextmanager
def nginx(folder: Path, sandbox: Sandbox, config: str = CONFIG, **changes: Any) -> Iterator[NginxServer]:
    spec = NginxSpec(**{"binary": NGINX, "config": config, "workers": 2, **changes})
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


def logged(folder: Path) -> list[str]:
    """A line for each request that nginx has answered."""
    return (folder / "nginx" / "access.log").read_text().splitlines()


def failed(totals: EngineTotals) -> int:
    return sum(value for name, value in totals.model_dump().items() if name.startswith("errors_"))


def assert_each_once(stream: RunningStream, totals: EngineTotals, served: int) -> None:
    """Each request was sent, served and recorded once, and none failed or was repeated."""
    assert totals.sent == totals.completed == totals.intended == served
    assert stream.counted("latency") == stream.counted("service") == stream.counted("schedule") == totals.sent
    assert stream.counted("first_byte") == totals.sent
    assert (totals.goaways, totals.requests_repeated, failed(totals)) == (0, 0, 0)


def elapsed_s(stream: RunningStream) -> float:
    return (time.monotonic_ns() - stream.generator.page.start_ns) / 1e9


RATE = 1000
STALL_S = 1.0
RUN_S = 5.0


@dataclass(frozen=True)
class Stalled:
    """Quantiles in seconds. ``exact_p99`` follows from the schedule and the stall's two instants alone."""

    latency: NDArray[np.float64]
    service_p99: float
    exact: NDArray[np.float64]


def is_close(found: Stalled) -> bool:
    """Whether the latencies are those that follow from the stall."""
    p99, longest = float(quantile(found.latency, 0.99)), float(found.latency.max())
    return p99 == pytest.approx(quantile(found.exact, 0.99), rel=0.02) and longest == pytest.approx(STALL_S, rel=0.02)


def stalled_run(
    folder: Path,
    sandbox: Sandbox,
    config: str = CONFIG,
    server_is: Mapping[str, Any] = MappingProxyType({}),
    **stream: Any,
) -> Stalled:
    """Every request that was due while nginx was stopped is answered at the stall's end, the others at once."""
    folder.mkdir(mode=0o755)
    with (
        nginx(folder, sandbox, config, **server_is) as server,
        running(open_loop(RATE, **{"connections": 16, **stream}), target_of(server), folder, sandbox) as loaded,
    ):
        wait_until(lambda: elapsed_s(loaded) >= 1.5)
        for pid in server.workers():
            os.kill(pid, signal.SIGSTOP)
        began_s = elapsed_s(loaded)
        wait_until(lambda: elapsed_s(loaded) >= began_s + STALL_S)
        for pid in server.workers():
            os.kill(pid, signal.SIGCONT)
        ended_s = elapsed_s(loaded)
        wait_until(lambda: elapsed_s(loaded) >= RUN_S)
        totals = loaded.end()
        latency, service = (loaded.generator.page.counts(number) for number in (0, 2))
    assert totals.completed == totals.intended
    due_s = np.arange(totals.completed) / RATE
    exact = np.where((due_s >= began_s) & (due_s < ended_s), ended_s - due_s, 0.0)
    return Stalled(values_s(latency), float(quantile(values_s(service), 0.99)), exact)


def values_s(counts: Counts) -> NDArray[np.float64]:
    return np.repeat(counts.latency_us, counts.count) / 1e6


def quantile(values: NDArray[np.float64], share: float) -> float:
    """The smallest value that so large a share does not exceed, as HdrHistogram has it."""
    return float(np.sort(values)[int(np.ceil(share * len(values))) - 1])
