"""The open-loop engine and an nginx with a trivial response, each on its own core, without a stack."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, Quantity, WrkPrint
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.engines import GeneratorContext, Target
from ngxlab_worker.engines.histogram import Counts
from ngxlab_worker.engines.native import NativeGenerator, ProgramShape, start
from ngxlab_worker.engines.native.generator import work_folder
from ngxlab_worker.engines.native.request import request_bytes
from ngxlab_worker.engines.open_loop.command import PROGRAM, connection_options, schedule_options
from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.sandbox import Sandbox, choose_isolation, resolve_run_as
from ngxlab_worker.sandbox.identity import RunAs, hand_over
from ngxlab_worker.trial.folder import make_workplace

from scripts.bench.bare import BareTrial

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
