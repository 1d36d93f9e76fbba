"""Readings of one process of the trial."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from ngxlab_worker.collectors.process_files import RunTime, parse_io, parse_schedstat, parse_stat
from ngxlab_worker.collectors.procfile import ProcFile, list_folder
from ngxlab_worker.collectors.reading import Notice
from ngxlab_worker.collectors.threads import GONE, Threads, count_states

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
