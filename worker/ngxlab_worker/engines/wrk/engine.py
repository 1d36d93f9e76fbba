"""A stream that wrk drives: one process for warm-up and measured window, ended by SIGINT."""

import resource
import signal
from dataclasses import dataclass, field
from typing import NamedTuple

from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import LatencyInterval

from ngxlab_worker.core.clock import monotonic_us
from ngxlab_worker.core.files import is_full
from ngxlab_worker.core.programs import existing, last_words, on_path
from ngxlab_worker.engines.base import (
    EngineInventory,
    GeneratorContext,
    GeneratorEnd,
    GeneratorError,
    NoteSink,
    ended_early,
    not_started,
)
from ngxlab_worker.engines.histogram import Counts, HdrEncoder
from ngxlab_worker.engines.wrk.command import established_connections, timeout_s, write_script, wrk_command
from ngxlab_worker.engines.wrk.inventory import wrk_inventory
from ngxlab_worker.engines.wrk.memory import MemoryUnreadableError, WrkGoneError, WrkMemory
from ngxlab_worker.engines.wrk.rejections import Rejections, rejected_among
from ngxlab_worker.engines.wrk.report import parse_report
from ngxlab_worker.sandbox import Child, Command, SandboxError
from ngxlab_worker.sandbox.process import killed_by, socket_count, thread_count

TOLERATED_SHARE = 0.005
"""This share of all requests may be missing without an excuse: counts are compared to 1 %."""
BURST = 2.0
"""wrk may have run at up to this many times its average rate while it was not read, where its own counters do not tell:
on a busy machine it runs fastest while the agent waits for a CPU."""


@dataclass
class ClosingWatch:
    """Watches the end of one stream; all times are microseconds of CLOCK_MONOTONIC."""

    _began_us: int = 0
    _last_read_us: int = 0
    _missed_us: int | None = None
    _whole: bool = False

    def begin(self, now_us: int) -> None:
        self._began_us = self._last_read_us = now_us

    def read(self, began_us: int, *, whole: bool = False) -> None:
        """A reading that began at ``began_us`` has all that wrk had completed by then. ``whole``: wrk's own counters
        said so, so that whatever it printed beyond came later."""
        self._last_read_us, self._missed_us, self._whole = began_us, None, whole

    def missed(self, now_us: int) -> None:
        """A reading failed: wrk has ended since the last one."""
        self._missed_us = now_us if self._missed_us is None else self._missed_us

    def excuse(self, now_us: int, seen: int, printed: int) -> str | None:
        """Why fewer requests were read than wrk printed, if the time after the last reading explains it: then the
        histograms lack that end, and no count is wrong. ``None`` where none lack, or it does not explain them."""
        until_us = now_us if self._missed_us is None else self._missed_us
        unseen_us, life_us = until_us - self._last_read_us, until_us - self._began_us
        lacking = printed - seen
        if lacking <= TOLERATED_SHARE * printed:
            return None
        if not self._whole and lacking * life_us > BURST * printed * unseen_us:
            return None
        return f"the last {unseen_us / 1000:.0f} ms of wrk could not be read, since the host was too busy"


OWN_DESCRIPTORS = 64
LARGEST_PRINT = 1 << 20
MOST_SOCKETS_COUNTED = 20_000


class Snapshot(NamedTuple):
    """``counts``: all responses so far. ``rejected``: how many of them had a status of 400 or more. ``whole``: by wrk's
    own counters, none was missing when the reading began."""

    counts: Counts
    rejected: int
    whole: bool = False


class WrkEngine:
    def inventory(self) -> EngineInventory:
        return wrk_inventory()

    def programs(self) -> list[str]:
        return existing(on_path("wrk"))

    def prepare(self, spec: StreamSpec, context: GeneratorContext, note: NoteSink) -> "WrkGenerator":
        """Start wrk behind a gate. Raises ``GeneratorError`` where it cannot run on this host."""
        folder = context.work_folder()
        argv = wrk_command(spec, context.target, context.life_s, write_script(spec, folder, context.sandbox))
        _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
        if spec.connections + OWN_DESCRIPTORS > files:
            raise GeneratorError(
                "fd-limit",
                f"stream {spec.key}: {spec.connections} connections exceed the limit of {files} file descriptors:"
                " raise LimitNOFILE of the agent's service",
            )
        opened = established_connections(spec)
        if opened != spec.connections:
            text = f"stream {spec.key}: wrk opens {opened} connections, not {spec.connections}"
            note("warning", "connections-dropped", text)
        command = Command(
            argv,
            folder,
            context.folder / "wrk.out",  # a script must not reach it: the agent reads it with more rights than wrk has
            context.folder / "wrk.err",
            gated=True,
            max_file_bytes=LARGEST_PRINT,
            cpus=spec.cpus,
            distrusted=spec.script is not None,
            fence=context.target.fence,
        )
        try:
            child = context.sandbox.spawn(command)
        except SandboxError as error:
            raise not_started(error) from error
        return WrkGenerator(spec, child, command, note)


@dataclass
class WrkGenerator:
    """See :class:`ngxlab_worker.engines.base.Generator`."""

    _spec: StreamSpec
    _child: Child
    _command: Command
    _note: NoteSink
    _seen: Snapshot = field(default_factory=lambda: Snapshot(Counts.empty(), 0))
    _seen_at_us: int = 0
    _latest: Snapshot | None = None
    _latest_at_us: int = 0
    _stopping: bool = False
    _killed: bool = False
    _closing: ClosingWatch = field(default_factory=ClosingWatch)
    _unreadable: MemoryUnreadableError | None = None

    def __post_init__(self) -> None:
        self._memory = WrkMemory(self.pid, timeout_s(self._spec))
        threads = self._spec.threads
        self._rejections = Rejections(self.pid, threads, self._spec.connections // threads)
        self._encoder = HdrEncoder(timeout_s(self._spec) * 1_000_000)

    @property
    def key(self) -> str:
        return self._spec.key

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def pids(self) -> list[int]:
        return [self.pid]

    @property
    def rates(self) -> None:
        return None

    @property
    def counts(self) -> None:
        """wrk reports its counts only at its end."""

    def release(self, t_us: int) -> None:
        self._seen_at_us = t_us
        self._closing.begin(monotonic_us())
        self._child.release()

    def reading(self, t_us: int) -> list[LatencyInterval]:
        snapshot = self._read_raw(t_us) if self._stopping else self._snapshot()
        return [] if snapshot is None else self._cut(snapshot, t_us)

    def check(self) -> None:
        code = self._child.wait(0)
        if code is not None:
            said = self._child.stderr_text() or last_words(self._command.stdout)
            raise ended_early(f"wrk of stream {self.key}", code, said)

    def stop(self, t_us: int) -> None:
        self._compare_connections()
        self._stopping = True
        self._read_raw(t_us)
        self._child.signal(signal.SIGINT)

    def stopped(self, t_us: int) -> bool:
        self._read_raw(t_us)
        return self._child.wait(0) is not None

    def finish(self) -> tuple[list[LatencyInterval], GeneratorEnd]:
        intervals = [] if self._latest is None else self._cut(self._latest, self._latest_at_us)
        report = self._command.stdout.read_text(errors="replace")
        printed = parse_report(report)
        reason = str(self._unreadable or "wrk ended before its counts were read") if self._latest is None else None
        if reason is None and printed is not None:
            reason = self._closing.excuse(monotonic_us(), self._seen.counts.total, printed.requests)
        exit_code = self._child.wait(0)
        end = GeneratorEnd(
            exit_code=exit_code,
            live_requests=self._seen.counts.total if self._latest is not None else None,
            live_unavailable_reason=reason,
            printed=printed,
            report=report,
            failure=None if printed is not None else self._without_print(exit_code),
        )
        return intervals, end

    def _without_print(self, exit_code: int | None) -> GeneratorError | None:
        """wrk's print is the count that all others are compared with, so a trial without it says so at least."""
        if self._killed:
            return None  # by us, since it was stuck: noted already
        if exit_code is not None and killed_by(exit_code) not in {None, "SIGINT"}:
            return ended_early(f"wrk of stream {self.key}", exit_code, self._child.stderr_text())
        if is_full(self._command.folder):
            return GeneratorError("disk-full", f"wrk of stream {self.key} could not write its report to the full disk")
        said = self._child.stderr_text() or "nothing"
        self._note("error", "print-missing", f"stream {self.key}: wrk printed no report ({exit_code}); it said: {said}")
        return None

    def kill(self) -> None:
        self._killed = True
        self._memory.close()
        self._child.kill()

    def _read_raw(self, t_us: int) -> Snapshot | None:
        # When all threads have ended, wrk alters its histogram ("correction"), so only a reading that was finished
        # while one of them was alive is raw. The threads read the stop flag every 100 ms.
        began_us = monotonic_us()
        snapshot = self._snapshot()
        if snapshot is None or thread_count(self.pid) <= 1:
            self._closing.missed(monotonic_us())
            return None
        self._closing.read(began_us, whole=snapshot.whole)
        self._latest, self._latest_at_us = snapshot, t_us
        return snapshot

    def _snapshot(self) -> Snapshot | None:
        if self._unreadable is not None and self._unreadable.permanent:
            return None
        try:
            before = self._rejections.tally()
            counts = self._memory.snapshot()
            if before is None:
                return Snapshot(counts, self._seen.rejected)
            rejected = rejected_among(counts.total, before, self._rejections.tally() or before)
            # A thread counts a response before it records its latency.
            return Snapshot(counts, rejected, whole=counts.total >= before.completed - self._spec.threads)
        except WrkGoneError:
            return None  # check() says why, or it was told to end
        except MemoryUnreadableError as error:
            if self._unreadable is None:
                self._note("warning", "wrk-memory-unreadable", f"stream {self.key}: no live latency: {error}")
            self._unreadable = error
            return None

    def _cut(self, snapshot: Snapshot, t_us: int) -> list[LatencyInterval]:
        fresh, since_us = snapshot.counts.since(self._seen.counts), self._seen_at_us
        rejected = min(max(0, snapshot.rejected - self._seen.rejected), fresh.total)
        self._seen, self._seen_at_us = Snapshot(snapshot.counts, self._seen.rejected + rejected), t_us
        if self._unreadable is not None:
            # A reading failed in between, so an interval could lie across an edge of the measured window.
            self._unreadable = None
            return []
        payload = self._encoder.encode(fresh)
        served = LatencyInterval(
            stream=self.key, t0_us=since_us, t1_us=t_us, count=fresh.total - rejected, histogram=payload
        )
        if not self._seen.rejected:
            return [served]
        return [served, served.model_copy(update={"count": rejected, "histogram": None, "quantity": "rejected"})]

    def _compare_connections(self) -> None:
        planned = established_connections(self._spec)
        if not self._spec.keep_alive or planned > MOST_SOCKETS_COUNTED:
            return
        try:
            held = socket_count(self.pid)
        except OSError:
            return  # it has ended or cannot be read: noted elsewhere
        if held < planned:
            text = f"stream {self.key}: {held} of {planned} connections were open at the end"
            self._note("warning", "connections-short", text)
