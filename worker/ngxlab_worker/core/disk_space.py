"""Whether a disk is full: programs say so in many ways, and some in none."""

import errno
import os
from pathlib import Path

LEAST_FOR_A_TRIAL = 16 << 20
"""Bytes: configuration, logs, and what a trial reports while the backend cannot be reached."""
_LEAST = 64 << 10
_FULL = {errno.ENOSPC, errno.EDQUOT}


def free_bytes(folder: Path) -> int:
    """What may still be written below ``folder``, or its nearest parent that exists; 0 without a free inode."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    disk = os.statvfs(there)
    return disk.f_bavail * disk.f_frsize if disk.f_favail or not disk.f_files else 0


def disk_trouble(folder: Path) -> str | None:
    """What the disk lacks for a trial; ``None`` where there is room."""
    free = free_bytes(folder)
    if free >= LEAST_FOR_A_TRIAL:
        return None
    return f"{free >> 10:,} KiB free, and a trial needs {LEAST_FOR_A_TRIAL >> 20} MiB"


def is_full(folder: Path) -> bool:
    return free_bytes(folder) < _LEAST


def says_full(error: BaseException) -> bool:
    """Whether an error, or the program that it quotes, says that a disk is full."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return True
    return any(os.strerror(number) in str(error) for number in _FULL)
