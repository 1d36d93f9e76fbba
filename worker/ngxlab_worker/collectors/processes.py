"""CPU, run queue delay, memory, open files, thread states and transfers of each process of the trial."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ngxlab_contracts.telemetry import SeriesDef

from ngxlab_worker.collectors.generators import Counts
from ngxlab_worker.collectors.process import STATES, Identity, ProcessReading, TrackedProcess
from ngxlab_worker.collectors.reading import Metric, Notice, Reading, counter, gauge


@dataclass(frozen=True)
class SampleTargets:
    """What a sampler reads besides the host itself: the processes and the status listener of one trial, with ids as
    the agent's own PID namespace sees them.

    A worker's ``index`` label is its position in ``nginx_workers`` (or ``upstream_workers``), so the place of a worker
    that has ended must be kept: otherwise those behind it change their labels. ``upstream_status``: the status listener
    of each upstream server by its key. ``generators``: the processes of each stream by its key; ``generator_counts``:
    what its engine counts, where it reports that. ``helpers``: processes that work for the trial besides the agent.
    ``devices``: block devices of the trial's own, which are left out otherwise.
    """

    status_address: tuple[str, int] | None = None
    nginx_master: int | None = None
    nginx_workers: list[int] = field(default_factory=list)
    upstream_workers: list[int] = field(default_factory=list)
    upstream_status: dict[str, tuple[str, int]] = field(default_factory=dict)
    generators: dict[str, list[int]] = field(default_factory=dict)
    generator_counts: dict[str, Counts] = field(default_factory=dict)
    agent: int | None = None
    helpers: list[int] = field(default_factory=list)
    devices: frozenset[str] = frozenset()


_CPU = counter("ngxlab_process_cpu_seconds_total", "seconds")
_THREADS = gauge("ngxlab_process_threads", "threads")
_THREAD_RUN = counter("ngxlab_thread_run_seconds_total", "seconds")

PER_PROCESS: tuple[tuple[Metric, dict[str, str]], ...] = (
    (_CPU, {"mode": "user"}),
    (_CPU, {"mode": "system"}),
    (counter("ngxlab_process_run_seconds_total", "seconds"), {}),
    (counter("ngxlab_process_run_delay_seconds_total", "seconds"), {}),
    (gauge("ngxlab_process_resident_memory_bytes", "bytes"), {}),
    (gauge("ngxlab_process_open_fds", "files"), {}),
    *((_THREADS, {"state": state}) for state in STATES),
    (gauge("ngxlab_process_main_thread_blocked", "threads"), {}),
    (counter("ngxlab_process_read_bytes_total", "bytes"), {}),
    (counter("ngxlab_process_written_bytes_total", "bytes"), {}),
    (counter("ngxlab_process_read_syscalls_total", "calls"), {}),
    (counter("ngxlab_process_write_syscalls_total", "calls"), {}),
)
"""The columns of each process, in order, and their labels besides role, index and stream."""

_Shape = list[tuple[Identity, tuple[int, ...]]]


class ProcessCollector:
    """One frame for all processes; those of a generator count as one. A process that has ended leaves the layout, and
    the others keep their labels."""

    name = "process"

    def __init__(self, proc: str = "/proc") -> None:
        self._proc = proc
        self._tracked: dict[int, TrackedGroup] = {}
        self._shape: _Shape = []
        self._columns: tuple[SeriesDef, ...] = ()

    def follow(self, targets: SampleTargets) -> None:
        """Read these processes from now on; those already followed are kept."""
        wanted = identities(targets)
        shared = {pids[0]: pids for pids in targets.generators.values()}
        for pid, process in list(self._tracked.items()):
            if wanted.get(pid) != process.identity:
                self._drop(pid)
        for pid, identity in wanted.items():
            if pid in self._tracked:
                continue
            try:
                self._tracked[pid] = TrackedGroup(identity, shared.get(pid, [pid]), self._proc)
            except FileNotFoundError:
                continue  # it has already ended
        self._tracked = {pid: self._tracked[pid] for pid in wanted if pid in self._tracked}

    def read(self) -> Reading:
        shape: _Shape = []
        values: list[float | None] = []
        notices: list[Notice] = []
        for pid, process in list(self._tracked.items()):
            reading = process.read()
            if reading is None:
                self._drop(pid)
                continue
            notices += process.take_notices()
            shape.append((process.identity, tuple(reading.threads)))
            values += reading.values
            values += reading.threads.values()
        if shape != self._shape:
            self._shape = shape
            self._columns = tuple(column for entry in shape for column in _columns(*entry))
        return Reading(self._columns, values, notices)

    def close(self) -> None:
        for pid in list(self._tracked):
            self._drop(pid)

    def _drop(self, pid: int) -> None:
        self._tracked.pop(pid).close()


def identities(targets: SampleTargets) -> dict[int, Identity]:
    """The processes to follow, by process id; a generator by its first."""
    by_pid: dict[int, Identity] = {}
    if targets.nginx_master is not None:
        by_pid[targets.nginx_master] = Identity("nginx-master", 0)
    by_pid |= {pid: Identity("nginx-worker", index) for index, pid in enumerate(targets.nginx_workers)}
    by_pid |= {pid: Identity("upstream", index) for index, pid in enumerate(targets.upstream_workers)}
    streams = enumerate(targets.generators.items())
    by_pid |= {pids[0]: Identity("generator", index, stream) for index, (stream, pids) in streams}
    by_pid |= {pid: Identity("helper", index) for index, pid in enumerate(targets.helpers)}
    if targets.agent is not None:
        by_pid[targets.agent] = Identity("agent", 0)
    return by_pid


def _columns(identity: Identity, threads: tuple[int, ...]) -> list[SeriesDef]:
    labels = {"role": identity.role, "index": str(identity.index)}
    if identity.stream is not None:
        labels["stream"] = identity.stream
    columns = [_define(metric, labels | further) for metric, further in PER_PROCESS]
    if identity.stream is not None:
        own = {"role": identity.role, "stream": identity.stream}
        columns += [_define(_THREAD_RUN, own | {"thread": str(ordinal)}) for ordinal in threads]
    return columns


def _define(metric: Metric, labels: dict[str, str]) -> SeriesDef:
    return SeriesDef(name=metric.name, labels=labels, unit=metric.unit, kind=metric.kind)


class TrackedGroup:
    """The processes of one generator: their values are added up, and their threads are numbered consecutively.

    Raises ``FileNotFoundError`` where one of them does not exist. The group has ended as soon as one of them has: sums
    over fewer processes would decrease.
    """

    def __init__(self, identity: Identity, pids: Sequence[int], proc: str = "/proc") -> None:
        self.identity = identity
        self._members: list[TrackedProcess] = []
        try:
            for pid in pids:
                self._members.append(TrackedProcess(identity, pid, proc))
        except FileNotFoundError:
            self.close()
            raise

    def read(self) -> ProcessReading | None:
        """The sums now, or ``None`` once a process has ended."""
        readings = [member.read() for member in self._members]
        present = [reading for reading in readings if reading is not None]
        if len(present) < len(readings):
            return None
        if len(present) == 1:
            return present[0]  # its threads keep their numbers when one of them ends
        columns = zip(*(reading.values for reading in present), strict=True)
        threads = (run_s for reading in present for run_s in reading.threads.values())
        return ProcessReading([_sum(column) for column in columns], dict(enumerate(threads)))

    def take_notices(self) -> list[Notice]:
        notices = [notice for member in self._members for notice in member.notices]
        for member in self._members:
            member.notices.clear()
        return notices

    def close(self) -> None:
        for member in self._members:
            member.close()


def _sum(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return sum(present) if len(present) == len(values) else None
