"""The bounds of all children of one trial together, the owner's caps in words, and who looks where no kernel does."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ngxlab_worker.core.files import free_bytes, open_regular

_MEMORY_SHARE = 0.75
_FREE_SHARE = 0.5
DEFAULT_PROCESSES = 8192
"""Enough for nginx on a hundred cores with thread pools of their usual size, and a limit to a fork bomb."""


@dataclass(frozen=True)
class Bounds:
    """``processes`` counts threads too, as the kernel does. ``file_bytes``: files, logs and temporary files."""

    memory_bytes: int
    processes: int
    file_bytes: int


def default_bounds(folder: Path) -> Bounds:
    """Bounds where the owner sets nothing: the rest of the host stays usable. ``folder``: where files are created."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Bounds(round(memory * _MEMORY_SHARE), DEFAULT_PROCESSES, round(free_bytes(folder) * _FREE_SHARE))


_LAST_BYTES = 1 << 16
_NO_THREAD = re.compile(rb"(pthread_create|fork)\(\).{0,80}\(11: ")
_NO_MEMORY = re.compile(rb"(malloc|memalign|mmap)\(.{0,80}failed \(12: ")


def refused(folder: Path, bounds: Bounds) -> str | None:
    """The cap that was hit by the error logs in ``folder`` and its direct subfolders, in words."""
    places = (folder, *(place for place in folder.iterdir() if place.is_dir() and not place.is_symlink()))
    for log in (place / "error.log" for place in places):
        said = _tail(log)
        if _NO_THREAD.search(said):
            return process_cap(bounds)
        if _NO_MEMORY.search(said):
            return memory_cap(bounds)
    return None


def memory_cap(bounds: Bounds) -> str:
    return f"memory over the owner's cap of {bounds.memory_bytes:,} bytes (max_memory_bytes)"


def process_cap(bounds: Bounds) -> str:
    return f"processes and threads over the owner's cap of {bounds.processes} (max_processes)"


def file_cap(bounds: Bounds) -> str:
    return f"file bytes over the owner's cap of {bounds.file_bytes:,} bytes (max_files_bytes)"


def _tail(log: Path) -> bytes:
    try:
        with os.fdopen(open_regular(log, os.O_RDONLY), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LAST_BYTES))
            return file.read()
    except OSError:
        return b""


_PAGE = os.sysconf("SC_PAGE_SIZE")
_THREADS_FIELD = 17
"""num_threads, counted from the state, the first field after the name (proc_pid_stat(5))."""


class Tally:
    """Resource use of the processes that were added, and of all that descend from them, summed up from /proc where the
    host allows no control group."""

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
