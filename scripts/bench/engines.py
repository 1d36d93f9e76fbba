"""The product's own load engines against an nginx on this machine, without a trial.

Whether the open-loop engine keeps its schedule, how late it is itself, and how many requests one core sends; how many
idle connections one process holds, how fast they open, and what memory they take.
"""

import asyncio
import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from ngxlab.definition.nginx import config as nginx_config
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.registry import template
from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, WrkPrint
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.collectors import StubStatus, read_status
from ngxlab_worker.collectors.process import parse_stat
from ngxlab_worker.engines import GeneratorContext, GeneratorError, Target
from ngxlab_worker.engines.histogram import Counts
from ngxlab_worker.engines.idle_hold.engine import IdleHoldEngine, IdleHoldGenerator
from ngxlab_worker.engines.idle_hold.obstacles import descriptor_limit
from ngxlab_worker.engines.native import NativeGenerator, ProgramShape
from ngxlab_worker.engines.open_loop import (
    PROGRAM,
    connection_options,
    quantities,
    replay_options,
    schedule_options,
)
from ngxlab_worker.nginx import LogFinding, NginxServer, scan_error_log
from ngxlab_worker.sandbox import Sandbox, choose_isolation, own_network, resolve_run_as
from ngxlab_worker.sandbox.identity import hand_over
from ngxlab_worker.trial.folder import make_workplace

from scripts.bench.cpu import product_stopped
from scripts.bench.fidelity import BareTrial
from scripts.bench.lab import Lab
from scripts.bench.report import Found, NotMeasuredError, paired

NGINX = "/usr/sbin/nginx"
NGINX_CPU, ENGINE_CPU = "0", "1"
READY_TIMEOUT_S = 60
STATUS_PATIENCE_S = 60
STALLED_S = 30
"""After this time without a new connection, no more are expected."""
LIFE_S = 3600.0
PER_S = 10_000
CONNECTIONS = 64
AS_FAST_AS_THEY_OPEN = 100_000

CONFIG = Path(__file__).with_name("engines.nginx.conf").read_text()


@dataclass(frozen=True)
class Bed:
    """A running nginx, and where programs have their files."""

    folder: Path
    sandbox: Sandbox
    nginx: NginxServer

    @property
    def target(self) -> Target:
        return Target(self.nginx.endpoint.address, tuple(self.nginx.endpoint.ports))

    def context(self) -> GeneratorContext:
        """For a generator, in a folder of its own."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        hand_over(place, self.sandbox.run_as)
        return GeneratorContext(self.target, self.sandbox, place, LIFE_S)


@contextmanager
def started(spec: NginxSpec, *, filters: bool = True) -> Iterator[Bed]:
    """Start nginx; afterwards stop it and remove all files."""
    run_as = resolve_run_as(os.environ.get("NGXLAB_RUN_AS"))
    sandbox = Sandbox(choose_isolation(run_as), run_as, filters=filters)
    folder = Path(tempfile.mkdtemp(prefix="ngxlab-engine-"))
    folder.chmod(0o711)
    nginx = NginxServer(spec, make_workplace(folder / "nginx", run_as), sandbox, time.sleep)
    try:
        nginx.configure()
        nginx.start(READY_TIMEOUT_S)
        yield Bed(folder, sandbox, nginx)
    finally:
        nginx.stop()
        shutil.rmtree(folder)


def _end(generator: NativeGenerator) -> EngineTotals:
    generator.stop(_now_us())
    while not generator.stopped(_now_us()):
        time.sleep(0.001)
    _, end = generator.finish()
    assert end.totals is not None
    return end.totals


def _now_us() -> int:
    return time.time_ns() // 1000


@dataclass(frozen=True)
class Driven:
    """One run. ``cpu_s``: the engine's CPU time within ``seconds``. ``schedule``: its own lateness."""

    seconds: float
    totals: EngineTotals
    cpu_s: float
    latency: Counts
    schedule: Counts


OPEN_LOOP_NGINX = NginxSpec(binary=NGINX, config=CONFIG, workers=1, cpus=NGINX_CPU)


def drive(bed: Bed, per_s: float | None, seconds: float, **stream: Any) -> Driven:
    """Run the engine at a rate, or in closed loop (None): each connection sends when its response is complete."""
    generator = _open_loop_generator(bed, per_s, stream)
    try:
        generator.release(_now_us())
        start_ns = generator.page.start_ns
        time.sleep(seconds + (start_ns - time.monotonic_ns()) / 1e9)
        cpu_s = int(Path(f"/proc/{generator.pid}/schedstat").read_text().split()[0]) / 1e9
        elapsed_s = (time.monotonic_ns() - start_ns) / 1e9
        totals = _end(generator)
        return Driven(elapsed_s, totals, cpu_s, generator.counts_of("latency"), generator.counts_of("schedule"))
    finally:
        generator.kill()


def _open_loop_generator(bed: Bed, per_s: float | None, stream: Mapping[str, Any]) -> NativeGenerator:
    plan = OpenLoopSpec(steps=[RateStep(per_s=per_s or 1, duration_s=1)])
    usual = {"threads": 1, "connections": CONNECTIONS, "cpus": ENGINE_CPU, "open_loop": plan}
    spec = StreamSpec(key="bench", engine="open-loop", **{**usual, **stream})
    context = bed.context()
    request = context.work_folder() / "request"
    when = ["--closed-loop"] if per_s is None else schedule_options(spec.open_loop or plan)
    if spec.replays is not None:
        when += replay_options(spec.replays, request.with_name("replay"))
    words = [*connection_options(spec, bed.target, request), *when]
    return NativeGenerator.start(
        PROGRAM, words, spec, context, ProgramShape(1, quantities(spec), READY_TIMEOUT_S, intended=per_s is not None)
    )


def _wrk(bed: Bed, seconds: int) -> WrkPrint:
    stream = StreamSpec(key="wrk", engine="wrk", threads=1, connections=CONNECTIONS, cpus=ENGINE_CPU)
    trial = BareTrial(OPEN_LOOP_NGINX, CONFIG, stream, seconds, bed.sandbox.run_as, bed.folder)
    return trial.load(bed.target.ports[0])


async def open_loop(lab: Lab, runs: int, seconds: int) -> dict[str, Found]:
    """Medians of runs at a rate and in closed loop, alternating with wrk."""
    return await asyncio.to_thread(_open_loop, lab, runs, seconds)


def _open_loop(lab: Lab, runs: int, seconds: int) -> dict[str, Found]:
    paced: list[Driven] = []
    closed: list[Driven] = []
    wrk_per_s: list[float] = []
    with product_stopped(lab), started(OPEN_LOOP_NGINX) as bed:
        for _ in range(runs):
            paced.append(drive(bed, PER_S, seconds))
            closed.append(drive(bed, None, seconds))
            wrk_per_s.append(_wrk(bed, seconds).requests_per_s)
    deviations = [100 * abs(run.totals.sent / (PER_S * run.seconds) - 1) for run in paced]
    lateness = {share: [quantile_us(run.schedule, share) for run in paced] for share in (0.5, 0.99, 0.999)}
    per_s = [run.totals.completed / run.seconds for run in closed]
    return {
        "open-loop-plan": Found(
            median(deviations),
            {
                "deviations_percent": deviations,
                "totals": [run.totals.model_dump() for run in paced],
                "engine_cpu_percent": [100 * run.cpu_s / run.seconds for run in paced],
            },
        ),
        "open-loop-lateness": Found(
            median(lateness[0.99]) / 1000,
            {
                "p50_us": lateness[0.5],
                "p99_us": lateness[0.99],
                "p999_us": lateness[0.999],
                "latency_p99_us": [quantile_us(run.latency, 0.99) for run in paced],
            },
        ),
        "open-loop-capacity": Found(
            median(per_s),
            {
                "requests_per_s": per_s,
                "requests_per_engine_cpu_s": [run.totals.completed / run.cpu_s for run in closed],
                "wrk_requests_per_s": wrk_per_s,
                "ratio_to_wrk": [own / other for own, other in zip(per_s, wrk_per_s, strict=True)],
            },
        ),
    }


def quantile_us(counts: Counts, share: float) -> int:
    reached = np.searchsorted(np.cumsum(counts.count), share * counts.total)
    return int(counts.latency_us[reached])


async def walls(lab: Lab, pairs: int, seconds: int) -> dict[str, Found]:
    """What a network of the trial's own and the filter of system calls cost."""
    return await asyncio.to_thread(_walls, lab, pairs, seconds)


def _walls(lab: Lab, pairs: int, seconds: int) -> dict[str, Found]:
    def plain(stack: ExitStack) -> _Side:
        return _Side.start(stack)

    def in_own_network(stack: ExitStack) -> _Side:
        with own_network():
            return plain(stack)

    def without_filter(stack: ExitStack) -> _Side:
        return _Side.start(stack, filters=False)

    with product_stopped(lab):
        network = [_alternating(in_own_network, plain, seconds) for _ in range(pairs)]
        calls = [_alternating(plain, without_filter, seconds) for _ in range(pairs)]
    return {"own-network": ratio_of(network), "system-call-filter": ratio_of(calls)}


WINDOW_S = 0.25
SETTLE_S = 0.05
"""After a side goes on, until it is counted."""


@dataclass(frozen=True)
class _Side:
    """An nginx and an engine in closed loop, which stand still (SIGSTOP) unless it is their turn."""

    generator: NativeGenerator
    pids: tuple[int, ...]

    @classmethod
    def start(cls, stack: ExitStack, *, filters: bool = True) -> "_Side":
        bed = stack.enter_context(started(OPEN_LOOP_NGINX, filters=filters))
        generator = _open_loop_generator(bed, None, {})
        stack.callback(generator.kill)
        generator.release(_now_us())
        while not generator.page.counters()["completed"]:
            generator.check()
            time.sleep(0.01)
        side = cls(generator, (generator.pid, *bed.nginx.workers()))
        stack.callback(side._signal, signal.SIGCONT)
        side._signal(signal.SIGSTOP)
        return side

    def turn(self) -> tuple[int, float]:
        """Responses in one window, and its seconds."""
        self._signal(signal.SIGCONT)
        time.sleep(SETTLE_S)
        began, before = time.monotonic(), self.generator.page.counters()["completed"]
        time.sleep(WINDOW_S)
        ended, after = time.monotonic(), self.generator.page.counters()["completed"]
        self._signal(signal.SIGSTOP)
        self.generator.check()
        return after - before, ended - began

    def _signal(self, number: int) -> None:
        for pid in self.pids:
            os.kill(pid, number)


def _alternating(
    first: Callable[[ExitStack], _Side], second: Callable[[ExitStack], _Side], seconds: int
) -> tuple[float, float]:
    """Requests a second of both, each for ``seconds`` in short windows by turns: the machine's speed, which drifts
    within seconds by more than what is looked for, is the same for both."""
    with ExitStack() as stack:
        sides = [(0, first(stack)), (1, second(stack))]
        counted: list[list[tuple[int, float]]] = [[], []]
        for _ in range(round(seconds / WINDOW_S)):
            for which, side in random.sample(sides, 2):
                counted[which].append(side.turn())
    one, other = (sum(count for count, _ in of) / sum(length for _, length in of) for of in counted)
    return one, other


def ratio_of(pairs: list[tuple[float, float]]) -> Found:
    found = paired(pairs)
    return Found(found.ratio, {"requests_per_s": pairs}, found.interval_95)


def in_random_order(first: Callable[[], float], second: Callable[[], float]) -> tuple[float, float]:
    if random.random() < 0.5:
        return first(), second()
    later = second()
    return first(), later


async def idle_hold(lab: Lab, connections: int) -> dict[str, Found]:
    """Bytes of the holder's own memory per connection, and connections per second."""
    held = await asyncio.to_thread(hold_connections, connections, AS_FAST_AS_THEY_OPEN, think_max_s=60, hold_s=5)
    own = held.totals.own_memory_bytes
    assert own is not None
    return {
        "idle-hold-memory": Found(own / connections, asdict(held) | {"totals": held.totals.model_dump()}),
        "idle-hold-connects": Found(
            connections / held.connected_s, {"connected_s": held.connected_s, "processes": held.totals.processes}
        ),
    }


@dataclass(frozen=True)
class Held:
    """``connected_s``: until the last connection was open. Growth in bytes, compared with nginx without connections."""

    connected_s: float
    totals: EngineTotals
    status: StubStatus
    worker_rss_growth: int
    available_drop: int
    slab_growth: int
    findings: list[LogFinding]
    notes: list[str]


def hold_connections(connections: int, connect_per_s: float, *, think_max_s: float, hold_s: float) -> Held:
    """Open ``connections``, hold them for ``hold_s`` seconds, and close them.

    Raises :class:`NotMeasuredError` where something prevents it, or where not all of them open.
    """
    notes: list[str] = []
    definition = _idle_definition(connections, connect_per_s, think_max_s)
    arm = resolve(definition, definition.arms[0])
    (stream,) = arm.streams
    config = nginx_config.render(definition, arm.arm)
    with started(NginxSpec(binary=NGINX, config=config, workers=arm.workers)) as bed:
        before = _memory(bed.nginx)
        with _holder(bed, stream, notes) as generator:
            connected_s = _connect(generator, connections)
            time.sleep(hold_s)
            generator.check()
            status, after = _status(bed.nginx, connections), _memory(bed.nginx)
            totals = _end(generator)
        findings = scan_error_log(bed.nginx.error_log).findings
    growth = [now - then for now, then in zip(after, before, strict=True)]
    return Held(connected_s, totals, status, growth[0], -growth[1], growth[2], findings, notes)


def _idle_definition(connections: int, connect_per_s: float, think_max_s: float) -> Definition:
    chosen = template("idle-connections")
    values: dict[str, LevelValue] = {
        "connections": str(connections),
        "connect_per_s": connect_per_s,
        "think_max_s": think_max_s,
        "warmup_s": 600,
        "descriptors": min(descriptor_limit() or 1_000_000, 1_000_000),
    }
    return chosen.build(chosen.complete(values))


@contextmanager
def _holder(bed: Bed, stream: StreamSpec, notes: list[str]) -> Iterator[IdleHoldGenerator]:
    try:
        generator = IdleHoldEngine().prepare(stream, bed.context(), lambda _severity, _code, text: notes.append(text))
    except GeneratorError as error:
        raise NotMeasuredError(str(error)) from error
    try:
        yield generator
    finally:
        generator.kill()


def _connect(generator: IdleHoldGenerator, connections: int) -> float:
    began = progressed = time.monotonic()
    generator.release(_now_us())
    opened = 0
    while opened < connections:
        generator.check()
        time.sleep(0.01)
        now = generator.page.counters()["connections"]
        if now > opened:
            opened, progressed = now, time.monotonic()
        elif time.monotonic() - progressed > STALLED_S:
            reason = os.strerror(generator.page.last_errno())
            raise NotMeasuredError(f"{opened} of {connections} connections opened, and no more came (last: {reason})")
    return time.monotonic() - began


def _status(nginx: NginxServer, connections: int) -> StubStatus:
    """nginx's status once it has accepted all connections, or at the deadline. On a busy machine the kernel has
    established connections that no nginx worker has accepted yet, and the status page itself takes a while."""
    deadline = time.monotonic() + STATUS_PATIENCE_S
    while True:
        try:
            status = read_status(nginx.status_address, timeout=5)
        except OSError as error:
            if time.monotonic() > deadline:
                raise NotMeasuredError(f"nginx's status page does not answer: {error}") from error
            continue
        if status.active > connections or time.monotonic() > deadline:
            return status
        time.sleep(0.1)


def _memory(nginx: NginxServer) -> tuple[int, int, int]:
    """Resident bytes of nginx's workers; MemAvailable and Slab of the host."""
    resident = sum(parse_stat(Path(f"/proc/{pid}/stat").read_bytes()).resident_bytes for pid in nginx.workers())
    lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
    host = {words[0]: int(words[1]) << 10 for words in lines}
    return resident, host["MemAvailable:"], host["Slab:"]
