"""Files in folders where others can create names too, and whether a disk is full: programs say so in many ways."""

import errno
import os
import stat
from pathlib import Path


def open_regular(path: Path, flags: int) -> int:
    """A descriptor of the regular file at ``path``, created with mode 0644 where ``flags`` say so.

    The folders above it must be such that only this process's user can replace them. Raises ``OSError``, also for
    links, pipes and devices, of which none is waited for.
    """
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return descriptor


def write_new(path: Path, text: str) -> None:
    """Write a file that everybody may read, in place of whatever has its name. Raises ``OSError``."""
    path.unlink(missing_ok=True)
    with os.fdopen(open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o644)  # whatever the umask
        file.write(text)


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
