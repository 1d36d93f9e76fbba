"""Searches for the capacity of real nginx servers whose capacity follows from their configuration: how many were right?

A limit of 1,000 requests a second that refuses, the same with a queue, and an upstream server that takes 10 ms behind
five connections. What else runs on the machine shows in the results. A hundred searches of a minute of each take five
hours; ``python -m scripts.capacity burst --searches 5 --seconds 30 --steps`` is for a look.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ngxlab_contracts.streams import CapacityGoal, CapacitySpec, OpenLoopSpec, StreamSpec
from ngxlab_contracts.telemetry import CapacityFound, CapacityStep
from ngxlab_contracts.trials import NginxSpec, Responder, UpstreamServerSpec
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.engines import GeneratorContext, Target
from ngxlab_worker.engines.native import NativeGenerator
from ngxlab_worker.engines.open_loop import OpenLoopEngine
from ngxlab_worker.nginx import NginxServer, upstream_server
from ngxlab_worker.sandbox import Sandbox, choose_isolation, resolve_run_as
from ngxlab_worker.trial.capacity import CapacitySearch
from ngxlab_worker.trial.folder import make_workplace

from scripts.bench.engines import CONFIG, NGINX

WARMUP_S = 1.0
LIMIT = "limit_req_zone $server_port zone=all:1m rate=1000r/s;"
UPSTREAM = UpstreamServerSpec(
    key="app", binary=NGINX, config="", instances=1, protocol="fastcgi", responder=Responder(delay_ms=10)
)


@dataclass(frozen=True)
class Known:
    """A server, by what stands in its ``http`` and ``location``; its capacity, and by how much a search may be off."""

    http: str
    location: str
    connections: int
    goal: CapacityGoal
    capacity_per_s: float
    tolerance: float

    @property
    def config(self) -> str:
        """``try_files`` comes after limits, ``return`` before them."""
        answers = f"location / {{ {self.location} }} location @ok {{ return 200; }}"
        text = CONFIG.replace('location / { return 200 "OK\\n"; }', answers)
        return text.replace("access_log off;", f"access_log off; {self.http}")


KNOWN = {
    "limit": Known(
        LIMIT,
        "limit_req zone=all burst=20 nodelay; try_files /none @ok;",
        50,
        CapacityGoal(errors_percent=0.1),
        1000,
        0.01,
    ),
    "burst": Known(
        LIMIT,
        "limit_req zone=all burst=200; try_files /none @ok;",
        300,
        CapacityGoal(p99_ms=50, errors_percent=0.1),
        1005,
        0.01,
    ),
    "upstream": Known(
        "upstream app { @@upstream.app@@ keepalive 64; }",
        "fastcgi_pass app; fastcgi_keep_conn on; fastcgi_param SCRIPT_NAME $uri;",
        5,
        CapacityGoal(p99_ms=50),
        500,
        0.02,
    ),
}


@contextmanager
def loaded(known: Known, spec: StreamSpec) -> Iterator[NativeGenerator]:
    """The server, and a generator that is ready to load it."""
    run_as = resolve_run_as(os.environ.get("NGXLAB_RUN_AS"))
    sandbox = Sandbox(choose_isolation(run_as), run_as)
    with tempfile.TemporaryDirectory(prefix="ngxlab-capacity-") as name, ExitStack() as leftovers:
        folder = Path(name)
        folder.chmod(0o711)
        endpoints = []
        if "upstream app" in known.http:
            app = upstream_server(UPSTREAM, make_workplace(folder / "upstream", run_as), sandbox, time.sleep)
            leftovers.callback(app.stop)
            app.configure()
            app.start(60)
            endpoints.append(app.endpoint)
        asks = [f"upstream.{endpoint.name}" for endpoint in endpoints]
        server = NginxSpec(binary=NGINX, config=known.config, workers=1, upstream_servers=asks)
        nginx = NginxServer(server, make_workplace(folder / "nginx", run_as), sandbox, time.sleep)
        leftovers.callback(nginx.stop)
        nginx.configure(endpoints)
        nginx.start(60)
        target = Target(nginx.endpoint.address, tuple(nginx.endpoint.ports))
        context = GeneratorContext(target, sandbox, make_workplace(folder / "stream", run_as), life_s=3600)
        generator = OpenLoopEngine().prepare(spec, context, lambda severity, code, message: print(message))
        leftovers.callback(generator.kill)
        yield generator


def searched(known: Known, seconds: float, lot: str) -> tuple[list[CapacityStep], CapacityFound]:
    """One search, as a trial makes it."""
    capacity = CapacitySpec(goal=known.goal, from_per_s=50, to_per_s=10_000)
    spec = StreamSpec(
        key="main",
        engine="open-loop",
        threads=1,
        connections=known.connections,
        open_loop=OpenLoopSpec(steps=[], capacity=capacity),
    )
    steps: list[CapacityStep] = []
    ends: list[CapacityFound] = []

    def take(event: CapacityStep | CapacityFound) -> None:
        steps.append(event) if isinstance(event, CapacityStep) else ends.append(event)

    clock = HostClock.anchored_now()
    with loaded(known, spec) as generator:
        assert generator.rates is not None
        generator.release(clock.now_us())
        time.sleep(WARMUP_S)
        end_us = clock.now_us() + 1e6 * seconds
        search = CapacitySearch("main", capacity, generator.rates, take, clock=clock, window_s=seconds, lot=lot)
        while search.next_due_us is not None and search.next_due_us < end_us:
            time.sleep(max(0, search.next_due_us - clock.now_us()) / 1e6)
            search.act(clock.now_us())
        search.end(clock.now_us())
    return steps, ends[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("servers", nargs="*", metavar="SERVER", help=f"of {', '.join(KNOWN)} (default: all)")
    parser.add_argument("--searches", type=int, default=100, help="of each server (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=60, help="a search (default: %(default)s)")
    parser.add_argument("--steps", action="store_true", help="print each step")
    arguments = parser.parse_args()
    if unknown := set(arguments.servers) - KNOWN.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    for name in arguments.servers or KNOWN:
        known, right = KNOWN[name], 0
        for number in range(1, arguments.searches + 1):
            steps, found = searched(known, arguments.seconds, f"{os.getpid()} {number}")
            if arguments.steps:
                print(*map(told, steps), sep="\n")
            off = None if found.capacity_per_s is None else found.capacity_per_s / known.capacity_per_s - 1
            right += off is not None and abs(off) <= known.tolerance
            print(
                f"{name} {number}: {found.ended}, {found.capacity_per_s or 0:,.1f}/s ({found.low_per_s or 0:,.1f} to"
                f" {found.high_per_s or 0:,.1f}), {right} of {number} within {100 * known.tolerance:g} % of"
                f" {known.capacity_per_s:,.0f}/s",
                flush=True,
            )


def told(step: CapacityStep) -> str:
    seconds = (step.t_us - step.begun_us) / 1e6
    counts = f"due {step.due:7,} served {step.served:7,} p50 {step.p50_us} p99 {step.p99_us} us"
    return f"  {step.number:3} {step.per_s:9,.1f}/s {seconds:6.2f} s {step.result:6} {counts} {step.reason}"


if __name__ == "__main__":
    main()
