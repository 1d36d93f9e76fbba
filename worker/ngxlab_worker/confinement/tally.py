"""Resource use of a trial's processes, summed up from /proc where the host allows no control group."""

import os
from pathlib import Path

from ngxlab_worker.confinement.bounds import Bounds, memory_cap, process_cap

_PAGE = os.sysconf("SC_PAGE_SIZE")
_THREADS_FIELD = 17
"""num_threads, counted from the state, the first field after the name (proc_pid_stat(5))."""


class Tally:
    """Sums over the processes that were added, and all that descend from them."""

    def __init__(self) -> None:
        self._roots: list[int] = []

    def add(self, pid: int) -> None:
        self._roots = [*self._roots, pid]

    def members(self) -> list[int]:
        found: list[int] = []
        waiting = list(self._roots)
        while waiting:
            pid = waiting.pop()
            try:
                waiting += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
            except OSError:
                continue  # it has ended
            found.append(pid)
        return found

    def killable(self) -> list[int]:
        """The processes without those that were added: a guardian must live to end what is left of its child."""
        return [pid for pid in self.members() if pid not in self._roots]

    def exceeded(self, bounds: Bounds) -> str | None:
        """Shared pages count for each process that has them, so the sum is an upper bound."""
        memory = threads = 0
        for pid in self.members():
            try:
                memory += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
                threads += int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[_THREADS_FIELD])
            except OSError:
                continue
        if memory > bounds.memory_bytes:
            return memory_cap(bounds)
        if threads > bounds.processes:
            return process_cap(bounds)
        return None


def threads_of(uid: int) -> int:
    """The number of processes and threads of a user on this host: RLIMIT_NPROC counts them all."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid == uid:
                total += len(list((folder / "task").iterdir()))
        except OSError:
            continue
    return total
