"""The owner's caps in words, and what nginx says when a limit of its process stops it before the sum is reached."""

import os
import re
from pathlib import Path

from ngxlab_worker.confinement.bounds import Bounds

_LAST_BYTES = 1 << 16
_NO_THREAD = re.compile(rb"(pthread_create|fork)\(\).{0,80}\(11: ")
_NO_MEMORY = re.compile(rb"(malloc|memalign|mmap)\(.{0,80}failed \(12: ")


def refused(folder: Path, bounds: Bounds) -> str | None:
    """Which cap the error logs in ``folder`` and its direct subfolders show to have been hit, in words."""
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
