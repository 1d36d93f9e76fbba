"""Whether the open-loop engine keeps its schedule, how late it is itself, and how many requests one core sends."""

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, Quantity, WrkPrint
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.engines import GeneratorContext, Target
from ngxlab_worker.engines.histogram import Counts
from ngxlab_worker.engines.native import NativeGenerator, ProgramShape, start
from ngxlab_worker.engines.native.generator import work_folder
from ngxlab_worker.engines.native.request import request_bytes
from ngxlab_worker.engines.open_loop import PROGRAM, connection_options, schedule_options
from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.sandbox import Sandbox, choose_isolation, resolve_run_as
from ngxlab_worker.sandbox.identity import RunAs, hand_over
from ngxlab_worker.trial.folder import make_workplace

from scripts.bench.bare import BareTrial
from scripts.bench.lab import Lab
from scripts.bench.results import Budget, Measurement
from scripts.bench.stillness import product_stopped

NGINX = "/usr/sbin/nginx"
NGINX_CPU, ENGINE_CPU = "0", "1"
READY_TIMEOUT_S = 20
CONNECTIONS = 64
QUANTITIES: tuple[Quantity, ...] = ("latency", "rejected", "service", "schedule")

CONFIG = """\
worker_processes 1;
pid @@pid_file@@;
error_log @@error_log@@ warn;
events { worker_connections 4096; }
http {
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path @@folder@@/temp/client_body;
    proxy_temp_path @@folder@@/temp/proxy;
    fastcgi_temp_path @@folder@@/temp/fastcgi;
    uwsgi_temp_path @@folder@@/temp/uwsgi;
    scgi_temp_path @@folder@@/temp/scgi;
    server { listen 127.0.0.1:@@status_port@@; location = /stub_status { stub_status; } }
    server { listen 127.0.0.1:@@http_port@@; location / { return 200 "OK\\n"; } }
}
"""


@dataclass(frozen=True)
class Driven:
    """One run. ``cpu_s``: the engine's CPU time within ``seconds``. ``schedule``: its own lateness."""

    seconds: float
    totals: EngineTotals
    cpu_s: float
    latency: Counts
    schedule: Counts


@dataclass(frozen=True)
class Bed:
    """A running nginx on its own core."""

    folder: Path
    sandbox: Sandbox
    nginx: NginxServer

    def drive(self, per_s: float | None, seconds: float) -> Driven:
        """Run the engine at a rate, or in closed loop (None): each connection sends when its response is complete."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        hand_over(place, self.sandbox.run_as)
        generator = self._prepare(per_s, place)
        try:
            generator.release(time.time_ns() // 1000)
            start_ns = generator.page.start_ns
            time.sleep(seconds + (start_ns - time.monotonic_ns()) / 1e9)
            cpu_s = _cpu_s(generator.pid)
            elapsed_s = (time.monotonic_ns() - start_ns) / 1e9
            generator.stop(time.time_ns() // 1000)
            while not generator.stopped(time.time_ns() // 1000):
                time.sleep(0.001)
            _, end = generator.finish()
            assert end.totals is not None
            return Driven(elapsed_s, end.totals, cpu_s, generator.page.counts(0), generator.page.counts(2))
        finally:
            generator.kill()

    def wrk(self, seconds: int) -> WrkPrint:
        """Run wrk in place of the engine."""
        stream = StreamSpec(key="wrk", engine="wrk", threads=1, connections=CONNECTIONS, cpus=ENGINE_CPU)
        target = self.nginx.endpoint.ports[0]
        return BareTrial(_spec(), CONFIG, stream, seconds, self.sandbox.run_as, self.folder).load(target)

    def _prepare(self, per_s: float | None, place: Path) -> NativeGenerator:
        plan = OpenLoopSpec(steps=[RateStep(per_s=per_s or 1, duration_s=1)])
        spec = StreamSpec(
            key="bench", engine="open-loop", threads=1, connections=CONNECTIONS, cpus=ENGINE_CPU, open_loop=plan
        )
        target = Target(self.nginx.endpoint.address, tuple(self.nginx.endpoint.ports))
        context = GeneratorContext(target, self.sandbox, place, life_s=600)
        request = work_folder(context) / "request"
        request.write_bytes(request_bytes(spec, target))
        request.chmod(0o644)
        when = ["--closed-loop"] if per_s is None else schedule_options(plan)
        words = [*connection_options(spec, target, request), *when]
        return start(
            PROGRAM, words, spec, context, ProgramShape(1, QUANTITIES, READY_TIMEOUT_S, intended=per_s is not None)
        )


@contextmanager
def bed() -> Iterator[Bed]:
    """Start nginx; afterwards stop it and remove all files."""
    run_as: RunAs | None = resolve_run_as(os.environ.get("NGXLAB_RUN_AS"))
    sandbox = Sandbox(choose_isolation(run_as), run_as)
    folder = Path(tempfile.mkdtemp(prefix="ngxlab-engine-"))
    folder.chmod(0o711)
    nginx = NginxServer(_spec(), make_workplace(folder / "nginx", run_as), sandbox, time.sleep)
    try:
        nginx.configure()
        nginx.start(READY_TIMEOUT_S)
        yield Bed(folder, sandbox, nginx)
    finally:
        nginx.stop()
        shutil.rmtree(folder)


def _spec() -> NginxSpec:
    return NginxSpec(binary=NGINX, config=CONFIG, workers=1, cpus=NGINX_CPU)


def _cpu_s(pid: int) -> float:
    """Time on a CPU so far (proc_pid_schedstat)."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


PER_S = 10_000
RUNS, SECONDS = 3, 10
QUICK_RUNS, QUICK_SECONDS = 1, 3
SETTING = (
    'One process of the engine on one core, nginx with one worker and `return 200 "OK\\n"` on another, 64 keep-alive '
    "connections on loopback; the product itself is stopped meanwhile. "
)


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """Medians of runs at a rate and in closed loop, alternating with wrk."""
    return await asyncio.to_thread(_measure, lab, QUICK_RUNS if quick else RUNS, QUICK_SECONDS if quick else SECONDS)


def _measure(lab: Lab, runs: int, seconds: int) -> list[Measurement]:
    paced: list[Driven] = []
    closed: list[Driven] = []
    wrk_per_s: list[float] = []
    with product_stopped(lab), bed() as alone:
        for _ in range(runs):
            paced.append(alone.drive(PER_S, seconds))
            closed.append(alone.drive(None, seconds))
            wrk_per_s.append(alone.wrk(seconds).requests_per_s)
    return [_deviation(paced), _lateness(paced), _closed_loop(closed, wrk_per_s)]


def _deviation(runs: list[Driven]) -> Measurement:
    deviations = [100 * abs(run.totals.sent / (PER_S * run.seconds) - 1) for run in runs]
    return Measurement(
        name="open-loop-plan",
        what=f"difference of the requests sent from a plan of {PER_S:,} requests/s",
        value=median(deviations),
        unit="%",
        budget=Budget("at most", 0.1),
        definition=SETTING + "Requests sent, divided by the rate times the time from start to stop.",
        detail={
            "deviations_percent": deviations,
            "totals": [run.totals.model_dump() for run in runs],
            "engine_cpu_percent": [100 * run.cpu_s / run.seconds for run in runs],
        },
    )


def _lateness(runs: list[Driven]) -> Measurement:
    lateness = [_quantile_us(run.schedule, 0.99) / 1000 for run in runs]
    return Measurement(
        name="open-loop-lateness",
        what=f"the engine's own lateness at {PER_S:,} requests/s, p99",
        value=median(lateness),
        unit="ms",
        budget=Budget("at most", 0.5),
        definition=SETTING + "From the later of the intended instant and that at which a connection was free to the "
        "first write of the request.",
        detail={
            "p50_us": [_quantile_us(run.schedule, 0.5) for run in runs],
            "p99_us": [_quantile_us(run.schedule, 0.99) for run in runs],
            "p999_us": [_quantile_us(run.schedule, 0.999) for run in runs],
            "latency_p99_us": [_quantile_us(run.latency, 0.99) for run in runs],
        },
    )


def _closed_loop(runs: list[Driven], wrk_per_s: list[float]) -> Measurement:
    per_s = [run.totals.completed / run.seconds for run in runs]
    return Measurement(
        name="open-loop-capacity",
        what="requests/s of one core of the engine, driven in closed loop",
        value=median(per_s),
        unit="requests/s",
        budget=Budget("at least", 80_000),
        definition=SETTING + "Every connection sends its next request as soon as it has the response. For comparison, "
        "wrk with one thread in place of the engine, alternating.",
        detail={
            "requests_per_s": per_s,
            "requests_per_engine_cpu_s": [run.totals.completed / run.cpu_s for run in runs],
            "wrk_requests_per_s": wrk_per_s,
            "ratio_to_wrk": [own / other for own, other in zip(per_s, wrk_per_s, strict=True)],
        },
    )


def _quantile_us(counts: Counts, share: float) -> int:
    reached = np.searchsorted(np.cumsum(counts.count), share * counts.total)
    return int(counts.latency_us[reached])
