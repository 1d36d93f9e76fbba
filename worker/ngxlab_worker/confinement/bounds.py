"""The bounds of all children of one trial together, and the owner's caps in words."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

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


def free_bytes(folder: Path) -> int:
    """Free space of the file system that holds ``folder``, for an unprivileged user. Raises ``OSError``."""
    space = os.statvfs(folder)
    return space.f_bavail * space.f_frsize


_LAST_BYTES = 1 << 16
_NO_THREAD = re.compile(rb"(pthread_create|fork)\(\).{0,80}\(11: ")
_NO_MEMORY = re.compile(rb"(malloc|memalign|mmap)\(.{0,80}failed \(12: ")


def refused(folder: Path, bounds: Bounds) -> str | None:
    """The cap that was hit by the error logs in ``folder`` and its direct subfolders, in words."""
    for log in (folder / "error.log", *folder.glob("*/error.log")):
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
        with log.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LAST_BYTES))
            return file.read()
    except OSError:
        return b""
