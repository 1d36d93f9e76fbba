"""Keeps files out of the page cache during a trial, with a helper process (``evictor.py``)."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ngxlab_contracts.files import FileSet

from ngxlab_worker.storage import evictor
from ngxlab_worker.storage.disk import StorageError

_OWN_DESCRIPTORS = 64
_END_TIMEOUT_S = 2.0


@dataclass(frozen=True)
class Evicted:
    """What the helper did. ``resident_percent``: how many pages of a file were in memory just before it was evicted, as
    the mean over all passes; ``None`` where no file had any pages."""

    passes: int
    every_ms: float
    cpu_percent: float
    resident_percent: float | None


def require_descriptors(sets: Sequence[FileSet]) -> None:
    """Raises ``StorageError`` where there are more files than the helper may have open."""
    count = sum(files.count for files in sets)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and count + _OWN_DESCRIPTORS > hard:
        most = hard - _OWN_DESCRIPTORS
        raise StorageError("fd-limit", f"{count} cold files are more than a process may open here: use at most {most}")


def write_out(root: Path, sets: Sequence[FileSet]) -> None:
    """Write all files of ``sets`` below ``root`` to the disk: dirty pages cannot be evicted."""
    for files in sets:
        for number in range(files.count):
            descriptor = os.open(root / files.folder / str(number), os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fdatasync(descriptor)
            finally:
                os.close(descriptor)


class Eviction:
    """Runs until :meth:`end`, or until this process ends. ``folder`` is its working directory."""

    def __init__(self, root: Path, sets: Sequence[FileSet], every_ms: int, folder: Path) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        arguments = [word for files in sets for word in (str(root / files.folder), str(files.count))]
        raised = ["prlimit", f"--nofile={hard}:{hard}"] if soft != hard else []
        self._process = subprocess.Popen(
            [*raised, sys.executable, "-I", "-S", str(evictor.__file__), str(every_ms), *arguments],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def end(self) -> Evicted:
        """End it. Raises ``StorageError`` where the helper has ended by itself, or does not end."""
        try:
            printed, complaint = self._process.communicate(timeout=_END_TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            self._process.kill()
            self._process.communicate()
            raise StorageError(
                "evictor-stuck",
                f"the helper that evicts cold files did not end within {_END_TIMEOUT_S:g} s and was killed",
            ) from error
        if self._process.returncode != 0:
            said = complaint.decode(errors="replace").strip()[-400:]
            raise StorageError("evictor-died", f"the helper that evicts cold files ended by itself: {said}")
        return _read(printed)


def _read(printed: bytes) -> Evicted:
    said = json.loads(printed)
    seconds, passes = max(said["seconds"], 1e-9), said["passes"]
    return Evicted(
        passes=passes,
        every_ms=1000 * seconds / max(passes, 1),
        cpu_percent=100 * said["cpu_s"] / seconds,
        resident_percent=100 * said["in"] / said["seen"] if said["seen"] else None,
    )
