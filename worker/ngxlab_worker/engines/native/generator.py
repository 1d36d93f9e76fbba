"""A stream that a program of ours drives: started, read and stopped through the page that it shares with the agent."""

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, get_args

from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import ClientPhase, EngineTotals, LatencyInterval, Quantity

from ngxlab_worker.engines.base import (
    Answered,
    GeneratorContext,
    GeneratorEnd,
    GeneratorError,
    Progress,
    ended_early,
    not_started,
)
from ngxlab_worker.engines.histogram import Counts, HdrEncoder
from ngxlab_worker.engines.native import page as shared
from ngxlab_worker.engines.native.page import Page
from ngxlab_worker.engines.native.program import ProgramMissingError, find_program
from ngxlab_worker.sandbox import Child, Command, SandboxError
from ngxlab_worker.sandbox.process import children, killed_by

LEAD_NS = 3_000_000
"""Between a release and the first intended instant, since every shard reads the page once a millisecond."""

READY_POLL_S = 0.002
LARGEST_PRINT = 1 << 20
OF_MANY_AT_ONCE = ("errors_reset", "errors_refused")
"""Counts that a stream of HTTP/1.1 does not have."""
HANDSHAKES = ("handshakes", "handshakes_resumed", "early_requests")
"""Counts that a stream without TLS does not have."""
CLIENT_PHASES = get_args(ClientPhase)
FAILURES = ("errors_read", "errors_write", "errors_timeout", "errors_status", "errors_garbage", "errors_reset")
"""Each is of a request; with keep-alive, a connect that fails is of none."""


@dataclass(frozen=True)
class ProgramShape:
    """What the agent needs to know of a program to share a page with it.

    ``quantities``: what its histograms are of, in the page's order. ``ready_timeout_s``: how long every shard may take
    to get ready (to open connections). ``intended``: it sends by a schedule and counts the requests it intended.
    """

    shards: int
    quantities: tuple[Quantity, ...]
    ready_timeout_s: float
    intended: bool


def _spawn(program: str, arguments: Sequence[str], page: Page, spec: StreamSpec, context: GeneratorContext) -> Child:
    folder = context.work_folder()
    try:
        # A copy, since the user it runs as may not be able to reach the place where it was built.
        executable = Path(shutil.copy(find_program(program), folder / program))
    except ProgramMissingError as error:
        raise GeneratorError("native-engines-missing", str(error)) from error
    executable.chmod(0o755)
    command = Command(
        (str(executable), *arguments),
        folder,
        context.folder / f"{program}.out",
        context.folder / f"{program}.err",
        max_file_bytes=LARGEST_PRINT,
        cpus=spec.cpus,
        fence=context.target.fence,
        descriptors=(page.descriptor,),
    )
    try:
        return context.sandbox.spawn(command)
    except SandboxError as error:
        raise not_started(error) from error


class NativeGenerator:
    """See :class:`ngxlab_worker.engines.base.Generator`."""

    def __init__(self, spec: StreamSpec, child: Child, page: Page, shape: ProgramShape) -> None:
        self._spec = spec
        self._child = child
        self.page = page
        self._shape = shape
        self._who = f"the engine of stream {spec.key}"
        self._encoder = HdrEncoder(shared.HIGHEST_US)
        self._seen = [Counts.empty() for _ in shape.quantities]
        self._seen_at_us = 0
        self._ended_at_us = 0
        self._killed = False
        self.rates = PageRates(page, shape.quantities, lambda: self.pids) if spec.is_steered else None

    @classmethod
    def start(
        cls, program: str, options: Sequence[str], spec: StreamSpec, context: GeneratorContext, shape: ProgramShape
    ) -> Self:
        """Run ``program`` with ``--page N`` and ``options``; returns once every shard is ready.

        It works in the folder ``work`` below ``context.folder``. Raises ``GeneratorError``.
        """
        page = Page(shape.shards, len(shape.quantities))
        try:
            child = _spawn(program, ("--page", str(page.descriptor), *options), page, spec, context)
        finally:
            page.handed_over()
        generator = cls(spec, child, page, shape)
        try:
            generator.await_ready(context.pause)
        except BaseException:  # such as the trial's end
            generator.kill()
            raise
        return generator

    @property
    def key(self) -> str:
        return self._spec.key

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def pids(self) -> list[int]:
        try:
            return [self.pid, *children(self.pid)]
        except ProcessLookupError:
            return [self.pid]

    def counts_of(self, quantity: Quantity) -> Counts:
        """The whole histogram so far."""
        return self.page.counts(self._shape.quantities.index(quantity))

    @property
    def counts(self) -> Callable[[], Mapping[str, int]]:
        return self._counts

    def await_ready(self, pause: Callable[[float], None]) -> None:
        """Wait for its shards. Raises ``GeneratorError`` where it ends or is late, or what ``pause`` raises."""
        deadline = time.monotonic() + self._shape.ready_timeout_s
        while not all(state == shared.READY for state in self.page.states()):
            self.check()
            if time.monotonic() > deadline:
                waiting = sum(state != shared.READY for state in self.page.states())
                message = (
                    f"stream {self.key}: {waiting} of {self._shape.shards} processes were not ready within "
                    f"{self._shape.ready_timeout_s:g} s"
                )
                raise GeneratorError("generator-not-ready", message)
            pause(READY_POLL_S)

    def release(self, t_us: int) -> None:
        self._seen_at_us = t_us
        self.page.start(time.monotonic_ns() + LEAD_NS)

    def reading(self, t_us: int) -> list[LatencyInterval]:
        since_us, self._seen_at_us = self._seen_at_us, t_us
        intervals = []
        for number, quantity in enumerate(self._shape.quantities):
            counts = self.page.counts(number)
            fresh, self._seen[number] = counts.since(self._seen[number]), counts
            if (quantity == "rejected" and not counts.total) or (quantity in CLIENT_PHASES and not fresh.total):
                continue
            intervals.append(
                LatencyInterval(
                    stream=self.key,
                    t0_us=since_us,
                    t1_us=t_us,
                    count=fresh.total,
                    histogram=self._encoder.encode(fresh),
                    quantity=quantity,
                )
            )
        return intervals

    def check(self) -> None:
        code = self._child.wait(0)
        if code is not None:
            raise ended_early(self._who, code, self._child.stderr_text())

    def stop(self, t_us: int) -> None:
        self._ended_at_us = t_us
        self.page.stop()

    def stopped(self, t_us: int) -> bool:
        self._ended_at_us = t_us
        return self._child.wait(0) is not None

    def finish(self) -> tuple[list[LatencyInterval], GeneratorEnd]:
        intervals = self.reading(self._ended_at_us)
        totals, exit_code = self._totals(), self._child.wait(0)
        failure = None
        if not self._killed and exit_code is not None and killed_by(exit_code) is not None:
            failure = ended_early(self._who, exit_code, "")
        end = GeneratorEnd(
            exit_code=exit_code,
            live_requests=self._answered(),
            live_unavailable_reason=None,
            printed=None,
            report=totals.model_dump_json(indent=1),
            totals=totals,
            failure=failure,
        )
        return intervals, end

    def kill(self) -> None:
        self._killed = True
        self._child.kill()

    def _answered(self) -> int:
        seen = zip(self._shape.quantities, self._seen, strict=True)
        return sum(counts.total for quantity, counts in seen if quantity in {"latency", "rejected"})

    def _counts(self) -> Mapping[str, int]:
        absent: tuple[str, ...] = () if self._shape.intended else ("intended", "backlog")
        if self._spec.protocol == "http/1.1":
            absent += OF_MANY_AT_ONCE
        if not self._spec.tls:
            absent += HANDSHAKES
        return {name: value for name, value in self.page.counters().items() if name not in absent}

    def _totals(self) -> EngineTotals:
        counted = self.page.counters()
        memory_bytes = counted.pop("memory_bytes")
        intended = counted.pop("intended")
        for now in ("backlog", "connections"):
            del counted[now]
        return EngineTotals(
            **counted,
            processes=self._shape.shards,
            own_memory_bytes=memory_bytes or None,
            statuses={str(status): count for status, count in self.page.statuses().items()},
            intended=intended if self._shape.intended else None,
        )


def busy_s(pid: int) -> float:
    """CPU time of a process of one thread; 0 of one that has ended, or where the kernel does not tell."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return 0


@dataclass
class PageRates:
    """See :class:`ngxlab_worker.engines.base.SteeredRates`."""

    page: Page
    quantities: tuple[Quantity, ...]
    pids: Callable[[], Sequence[int]]
    _set: int = 0

    @property
    def processes(self) -> int:
        return len(self.page.states())

    def set(self, per_s: float, begin_us: int) -> None:
        self._set += 1
        self.page.set_rate(self._set, 1000 * begin_us - self.page.start_ns, per_s)

    def has_begun(self) -> bool:
        return self.page.rate_begun() == self._set

    def progress(self) -> Progress:
        counted = self.page.counters()
        failed = sum(counted[name] for name in FAILURES)
        served = counted["completed"] - counted["errors_status"]
        return Progress(served, failed, self.page.outstanding(), counted["backlog"])

    def answered(self) -> Answered:
        latency, lateness = (self.page.counts(self.quantities.index(one)) for one in ("latency", "schedule"))
        return Answered(self.page.counters()["intended"], latency, lateness, sum(map(busy_s, self.pids())))
