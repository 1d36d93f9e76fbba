"""Readings of one process of the trial, and of its threads.

Source: proc(5), files below /proc/PID; the kernel's Documentation/scheduler/sched-stats.rst.
"""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from ngxlab_worker.collectors.procfile import PAGE_BYTES, TICKS_PER_SECOND, ProcFile, list_folder
from ngxlab_worker.collectors.reading import Notice, parser

_NS_PER_SECOND = 1_000_000_000


class ProcessStat(NamedTuple):
    """``state`` is the main thread's letter. Times are the whole process's, in ticks of 10 ms on most kernels."""

    state: str
    user_s: float
    system_s: float
    threads: int
    resident_bytes: int


class RunTime(NamedTuple):
    """Seconds on a CPU, and seconds runnable but waiting for one; of one thread."""

    run_s: float
    delay_s: float


class ProcessIo(NamedTuple):
    """Bytes read from and written to storage, not the page cache, and calls of read and write on any file.

    recv and send are not counted: nginx receives with recv, and answers with writev, which is counted.
    """

    read_bytes: int
    written_bytes: int
    read_syscalls: int
    write_syscalls: int


@parser
def parse_stat(data: bytes) -> ProcessStat:
    """/proc/PID/stat and /proc/PID/task/TID/stat. The name may hold spaces and parentheses: the last
    parenthesis ends it."""
    _, parenthesis, rest = data.rpartition(b")")
    if not parenthesis:
        raise ValueError(data)
    words = rest.split(None, 22)
    return ProcessStat(
        state=words[0].decode("ascii"),
        user_s=int(words[11]) / TICKS_PER_SECOND,
        system_s=int(words[12]) / TICKS_PER_SECOND,
        threads=int(words[17]),
        resident_bytes=int(words[21]) * PAGE_BYTES,
    )


@parser
def parse_state(data: bytes) -> str:
    return data.rpartition(b")")[2].split(None, 1)[0].decode("ascii")


@parser
def parse_schedstat(data: bytes) -> RunTime:
    """/proc/PID/schedstat: of the *main thread* only; below task/TID: of that thread."""
    run, delay, _ = data.split()
    return RunTime(int(run) / _NS_PER_SECOND, int(delay) / _NS_PER_SECOND)


@parser
def parse_io(data: bytes) -> ProcessIo:
    """/proc/PID/io: of the whole process, including threads that have ended."""
    fields = dict(line.split(b": ") for line in data.splitlines())
    return ProcessIo(
        read_bytes=int(fields[b"read_bytes"]),
        written_bytes=int(fields[b"write_bytes"]),
        read_syscalls=int(fields[b"syscr"]),
        write_syscalls=int(fields[b"syscw"]),
    )


STATES = ("R", "S", "D", "other")

GONE = (FileNotFoundError, ProcessLookupError)
"""Raised by reading below /proc/PID once the process or the thread has ended."""


def count_states(letters: Iterable[str]) -> list[float | None]:
    counts = Counter(letter if letter in STATES else "other" for letter in letters)
    return [float(counts[state]) for state in STATES]


class Thread:
    """``ordinal``: 0 for the main thread, then in the order of thread ids."""

    def __init__(self, ordinal: int, tid: int, process_fd: int) -> None:
        self.ordinal = ordinal
        self.last = RunTime(0.0, 0.0)
        self._stat = ProcFile(f"task/{tid}/stat", dir_fd=process_fd)
        self._schedstat = ProcFile(f"task/{tid}/schedstat", dir_fd=process_fd)

    def state(self) -> str:
        return parse_state(self._stat.read())

    def run_time(self) -> RunTime:
        self.last = parse_schedstat(self._schedstat.read())
        return self.last

    def close(self) -> None:
        self._stat.close()
        self._schedstat.close()


class Threads:
    """Follows the threads of a process, and lists them again only when their number has changed.

    The sums keep the last values of a thread that has ended, so that they never decrease.
    """

    def __init__(self, process_fd: int) -> None:
        self._process_fd = process_fd
        self._threads: dict[int, Thread] = {}
        self._started = 0
        self._ended_run_s = 0.0
        self._ended_delay_s = 0.0

    def follow(self, count: int) -> None:
        """Bring the list up to date; ``count`` is what /proc/PID/stat says. Raises one of :data:`GONE`."""
        if count == len(self._threads):
            return
        tids = {int(name) for name in list_folder("task", dir_fd=self._process_fd)}
        for tid in self._threads.keys() - tids:
            self._end(tid)
        for tid in sorted(tids - self._threads.keys()):
            self._threads[tid] = Thread(self._started, tid, self._process_fd)
            self._started += 1

    def states(self) -> list[str]:
        letters = []
        for tid, thread in list(self._threads.items()):
            try:
                letters.append(thread.state())
            except GONE:
                self._end(tid)
        return letters

    def run_times(self) -> dict[int, RunTime]:
        times = {}
        for tid, thread in list(self._threads.items()):
            try:
                times[thread.ordinal] = thread.run_time()
            except GONE:
                self._end(tid)
        return times

    def total(self, living: Iterable[RunTime]) -> RunTime:
        """The sum over the threads ``living`` and those that have ended."""
        times = list(living)
        return RunTime(
            self._ended_run_s + sum(time.run_s for time in times),
            self._ended_delay_s + sum(time.delay_s for time in times),
        )

    def close(self) -> None:
        for thread in self._threads.values():
            thread.close()
        self._threads.clear()

    def _end(self, tid: int) -> None:
        thread = self._threads.pop(tid)
        thread.close()
        self._ended_run_s += thread.last.run_s
        self._ended_delay_s += thread.last.delay_s


ProcessRole = Literal["nginx-master", "nginx-worker", "upstream", "generator", "helper", "agent"]

_NOTHING: tuple[None, ...] = (None, None, None, None)


@dataclass(frozen=True, slots=True)
class Identity:
    """The labels of a process's series. ``stream`` only for generators."""

    role: ProcessRole
    index: int
    stream: str | None = None


class ProcessReading(NamedTuple):
    """``values`` in the order of ``processes.PER_PROCESS``; ``threads``: run seconds by ordinal, of generators only."""

    values: list[float | None]
    threads: dict[int, float]


class TrackedProcess:
    """Holds /proc/PID open, so that another process with a reused id is never mistaken for this one.

    Raises ``FileNotFoundError`` where the process does not exist. Values that the kernel refuses to show (files of
    another user's process) are ``None`` from then on, with a reason in ``notices``.
    """

    def __init__(self, identity: Identity, pid: int, proc: str = "/proc") -> None:
        self.identity = identity
        self.pid = pid
        self.notices: list[Notice] = []
        self._fd = os.open(f"{proc}/{pid}", os.O_PATH | os.O_DIRECTORY)
        self._stat = ProcFile("stat", dir_fd=self._fd)
        self._schedstat: ProcFile | None = ProcFile("schedstat", dir_fd=self._fd)
        self._io: ProcFile | None = ProcFile("io", dir_fd=self._fd)
        self._fds_readable = True
        self._is_nginx = identity.role in {"nginx-master", "nginx-worker", "upstream"}
        self._threads = Threads(self._fd)

    def read(self) -> ProcessReading | None:
        """All values now, or ``None`` once the process has ended."""
        try:
            stat = parse_stat(self._stat.read())
            main = self._main_thread()
            # An nginx worker without a thread pool has only its main thread: there is nothing to list.
            if stat.threads > 1 or not self._is_nginx:
                self._threads.follow(stat.threads)
            states = self._threads.states() if stat.threads > 1 else [stat.state]
            run, threads = self._run_times(main)
            fds = self._open_fds()
            io = self._transfers()
        except GONE:
            return None
        blocked = float(stat.state == "D")
        delays = (run.run_s, run.delay_s) if run is not None else (None, None)
        values = [
            stat.user_s,
            stat.system_s,
            *delays,
            float(stat.resident_bytes),
            fds,
            *count_states(states),
            blocked,
            *io,
        ]
        return ProcessReading(values, threads)

    def close(self) -> None:
        for file in (self._stat, self._schedstat, self._io):
            if file is not None:
                file.close()
        self._threads.close()
        os.close(self._fd)

    def _main_thread(self) -> RunTime | None:
        if self._schedstat is None:
            return None
        try:
            return parse_schedstat(self._schedstat.read())
        except FileNotFoundError:
            # Either the process has ended, and reading another file raises, or the kernel lacks CONFIG_SCHED_INFO.
            self._stat.read()
            self._schedstat = None
            self._notice("schedstat", "this kernel has no /proc/PID/schedstat (CONFIG_SCHED_INFO)")
            return None

    def _run_times(self, main: RunTime | None) -> tuple[RunTime | None, dict[int, float]]:
        """nginx: the main thread, which runs the event loop. Generators and the agent: all threads."""
        if main is None or self._is_nginx:
            return main, {}
        times = self._threads.run_times()
        by_thread = {ordinal: time.run_s for ordinal, time in times.items()}
        return self._threads.total(times.values()), by_thread if self.identity.role == "generator" else {}

    def _open_fds(self) -> float | None:
        if not self._fds_readable:
            return None
        try:
            return float(_count_fds(self._fd))
        except PermissionError:
            self._fds_readable = False
            self._notice("open files", "run the agent as root, or give it CAP_SYS_PTRACE")
            return None

    def _transfers(self) -> Sequence[float | None]:
        if self._io is None:
            return _NOTHING
        try:
            return [float(number) for number in parse_io(self._io.read())]
        except PermissionError:
            self._io = None
            self._notice("io", "run the agent as root, or give it CAP_SYS_PTRACE")
        except FileNotFoundError:
            self._stat.read()
            self._io = None
            self._notice("io", "this kernel has no /proc/PID/io (CONFIG_TASK_IO_ACCOUNTING)")
        return _NOTHING

    def _notice(self, what: str, remedy: str) -> None:
        self.notices.append(Notice("process-detail-unreadable", f"{what} of {self.identity.role}: {remedy}"))


def _count_fds(process_fd: int) -> int:
    if fd_folder_has_size():
        return os.stat("fd", dir_fd=process_fd).st_size
    return len(list_folder("fd", dir_fd=process_fd))


@cache
def fd_folder_has_size() -> bool:
    """Since Linux 6.2 the size of /proc/PID/fd is the number of its entries (proc(5)); before, it is 0."""
    return Path("/proc/self/fd").stat().st_size > 0
