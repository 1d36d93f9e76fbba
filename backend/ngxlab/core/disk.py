"""Whether there is room on the disk where the server keeps its data. Imports nothing of the server."""

import os
from pathlib import Path

NEEDED_BYTES = 64 << 20
"""Below this, PostgreSQL may fail at any moment: its write-ahead log grows by 16 MiB at a time."""


def full_disk(folder: Path) -> str | None:
    """``None`` where an unprivileged user has room to write, else what is wrong and what to do."""
    state = os.statvfs(folder)
    free = state.f_bavail * state.f_frsize
    if free >= NEEDED_BYTES:
        return None
    return (
        f"disk full: {free / 2**20:.0f} MiB are free where the server keeps its data. Make room "
        f"(at least {NEEDED_BYTES >> 20} MiB); the services then recover by themselves"
    )
