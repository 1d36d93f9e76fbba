"""How much all children of one trial may use together."""

import os
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
    """Where the owner sets nothing: the rest of the host stays usable. ``folder``: where files are created."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Bounds(round(memory * _MEMORY_SHARE), DEFAULT_PROCESSES, round(free_bytes(folder) * _FREE_SHARE))


def free_bytes(folder: Path) -> int:
    """Of the file system that holds ``folder``, for an unprivileged user. Raises ``OSError``."""
    space = os.statvfs(folder)
    return space.f_bavail * space.f_frsize
