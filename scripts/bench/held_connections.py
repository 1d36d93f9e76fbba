"""Idle connections that the product's engine holds to an nginx configured by its template, without a stack."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ngxlab.definition.nginx import config as nginx_config
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.registry import template
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import EngineTotals
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.collectors import StubStatus, read_status
from ngxlab_worker.collectors.process_files import parse_stat
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.engines import GeneratorContext, GeneratorError, Target
from ngxlab_worker.engines.idle_hold.engine import IdleHoldEngine, IdleHoldGenerator
from ngxlab_worker.engines.idle_hold.obstacles import descriptor_limit
from ngxlab_worker.nginx import LogFinding, NginxServer, scan_error_log
from ngxlab_worker.sandbox import Sandbox, choose_isolation, resolve_run_as
from ngxlab_worker.sandbox.identity import hand_over
from ngxlab_worker.trial.folder import make_workplace

from scripts.bench.results import NotMeasuredError

NGINX = "/usr/sbin/nginx"
STALLED_S = 30
"""After this time without a new connection, no more are expected."""
READY_TIMEOUT_S = 60
STATUS_PATIENCE_S = 60
LIFE_S = 3600.0


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
    with ExitStack() as leftovers:
        folder = Path(tempfile.mkdtemp(prefix="ngxlab-held-"))
        leftovers.callback(shutil.rmtree, folder)
        folder.chmod(0o711)
        run_as = resolve_run_as(os.environ.get("NGXLAB_RUN_AS"))
        sandbox = Sandbox(choose_isolation(run_as), run_as)
        definition = _definition(connections, connect_per_s, think_max_s)
        (stream,) = resolve(definition, definition.arms[0]).streams
        nginx = leftovers.enter_context(_nginx(definition, folder, sandbox))
        before = _memory(nginx)
        generator = leftovers.enter_context(_generator(stream, nginx, folder, sandbox, notes))
        connected_s = _connect(generator, connections)
        time.sleep(hold_s)
        generator.check()
        status, after = _status(nginx, connections), _memory(nginx)
        totals = _end(generator)
        findings = scan_error_log(nginx.error_log).findings
    growth = [now - then for now, then in zip(after, before, strict=True)]
    return Held(connected_s, totals, status, growth[0], -growth[1], growth[2], findings, notes)


def _definition(connections: int, connect_per_s: float, think_max_s: float) -> Definition:
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
def _nginx(definition: Definition, folder: Path, sandbox: Sandbox) -> Iterator[NginxServer]:
    arm = resolve(definition, definition.arms[0])
    config = nginx_config.render(definition, arm.arm)
    place = make_workplace(folder / "nginx", sandbox.run_as)
    nginx = NginxServer(NginxSpec(binary=NGINX, config=config, workers=arm.workers), place, sandbox, time.sleep)
    try:
        nginx.configure()
        nginx.start(READY_TIMEOUT_S)
        yield nginx
    finally:
        nginx.stop()


@contextmanager
def _generator(
    stream: StreamSpec, nginx: NginxServer, folder: Path, sandbox: Sandbox, notes: list[str]
) -> Iterator[IdleHoldGenerator]:
    place = folder / "stream"
    place.mkdir()
    hand_over(place, sandbox.run_as)
    endpoint = nginx.endpoint
    context = GeneratorContext(Target(endpoint.address, tuple(endpoint.ports)), sandbox, place, LIFE_S)
    try:
        generator = IdleHoldEngine().prepare(stream, context, lambda _severity, _code, text: notes.append(text))
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


def _end(generator: IdleHoldGenerator) -> EngineTotals:
    generator.stop(_now_us())
    _until(lambda: generator.stopped(_now_us()))
    _, end = generator.finish()
    assert end.totals is not None
    return end.totals


def _until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.001)


def _now_us() -> int:
    return HostClock.anchored_now().now_us()


def _memory(nginx: NginxServer) -> tuple[int, int, int]:
    """Resident bytes of nginx's workers; MemAvailable and Slab of the host."""
    resident = sum(parse_stat(Path(f"/proc/{pid}/stat").read_bytes()).resident_bytes for pid in nginx.workers())
    lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
    host = {words[0]: int(words[1]) << 10 for words in lines}
    return resident, host["MemAvailable:"], host["Slab:"]
