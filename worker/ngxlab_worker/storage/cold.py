"""Where a trial's cold files are, and what keeps them cold from before the load until the trial's end."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ngxlab_contracts.files import FileSet
from ngxlab_contracts.trials import ColdFiles, NginxSpec

from ngxlab_worker.core.cgroups import name_of
from ngxlab_worker.storage import evictor
from ngxlab_worker.storage.disk import Disk, StorageError, make_disk, release_disks
from ngxlab_worker.storage.read_limit import ReadLimit, hierarchy

Note = Callable[[Literal["info", "warning", "error"], str, str], None]
"""``note(severity, code, message)``: something the report must say."""

COLD_IMAGE = "cold.img"
COLD_FOLDER = "cold"
_SLOW = 2.0
"""An interval between evictions that is this many times longer than asked for is worth a warning."""


class ColdStorage:
    """Use in order: :meth:`prepare`, :meth:`confine`, :meth:`begin`, :meth:`close`. ``close`` is safe in every state
    once the trial's nginx has ended. Without cold files nothing is done."""

    def __init__(self, spec: NginxSpec, folder: Path, note: Note) -> None:
        self._sets: list[FileSet] = [files for files in spec.files if files.cold]
        self._cold = spec.cold_files or ColdFiles()
        self._folder = folder
        self._note = note
        self._used = False
        self._disk: Disk | None = None
        self._limit: ReadLimit | None = None
        self._eviction: _Eviction | None = None

    @property
    def devices(self) -> frozenset[str]:
        """The names of block devices that only this trial uses."""
        return frozenset() if self._disk is None else frozenset({self._disk.name})

    @property
    def helpers(self) -> list[int]:
        return [] if self._eviction is None else [self._eviction.pid]

    def prepare(self) -> Path | None:
        """The folder to create cold files in, where they get a device of their own, else ``None``.

        Raises ``StorageError`` or ``OSError``.
        """
        _require_descriptors(self._sets)
        if not self._sets or self._cold.method != "throttle":
            return None
        groups = hierarchy()
        if groups is None:
            raise StorageError("throttle-failed", "no cgroup of this host can limit reading: set method to evict")
        self._used = True
        self._disk = make_disk(self._folder / COLD_IMAGE, self._folder / COLD_FOLDER, self._sets)
        self._limit = ReadLimit(groups, name_of(self._folder))
        self._limit.limit(self._disk.device, self._cold)
        return self._disk.mounted_on

    def begin(self, library: Path) -> None:
        """Keep the files out of memory from now on. They have been created in ``library``, unless they have a device of
        their own. Raises ``StorageError`` or ``OSError``."""
        if self._sets:
            root = library if self._disk is None else self._disk.mounted_on
            _write_out(root, self._sets)
            self._eviction = _Eviction(root, self._sets, self._cold.evict_every_ms, self._folder)

    def confine(self, pids: list[int]) -> None:
        """Limit the reading of these processes and of all that they start, if a limit is set. Raises ``OSError``."""
        if self._limit is not None:
            self._limit.add(pids)

    def close(self) -> None:
        """Undo everything, and note what the eviction did. Raises ``StorageError`` or ``OSError``."""
        eviction, self._eviction = self._eviction, None
        try:
            if eviction is not None:
                self._report(eviction)
        finally:
            if self._used:
                release_disks(self._folder)
            if self._limit is not None:
                self._limit.close()

    def _report(self, eviction: "_Eviction") -> None:
        try:
            done = eviction.end()
        except StorageError as error:
            self._note("error", error.code, str(error))
            return
        seen = "unknown" if done.resident_percent is None else f"{done.resident_percent:.0f} %"
        message = (
            f"cold files were evicted from memory every {done.every_ms:.0f} ms ({done.cpu_percent:.0f} % of a core); "
            f"just before, {seen} of a file's pages were in memory"
        )
        self._note("info", "cold-files", message)
        if done.every_ms > _SLOW * self._cold.evict_every_ms:
            late = f"every {self._cold.evict_every_ms} ms was asked for: use fewer or smaller cold files"
            self._note("warning", "eviction-slow", f"{message}; {late}")


_OWN_DESCRIPTORS = 64
_END_TIMEOUT_S = 2.0


@dataclass(frozen=True)
class _Evicted:
    """What the helper did. ``resident_percent``: how many pages of a file were in memory just before it was evicted, as
    the mean over all passes; ``None`` where no file had any pages."""

    every_ms: float
    cpu_percent: float
    resident_percent: float | None


def _require_descriptors(sets: Sequence[FileSet]) -> None:
    """Raises ``StorageError`` where there are more files than the helper may have open."""
    count = sum(files.count for files in sets)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and count + _OWN_DESCRIPTORS > hard:
        most = hard - _OWN_DESCRIPTORS
        raise StorageError("fd-limit", f"{count} cold files are more than a process may open here: use at most {most}")


def _write_out(root: Path, sets: Sequence[FileSet]) -> None:
    """Write all files of ``sets`` below ``root`` to the disk: dirty pages cannot be evicted."""
    for files in sets:
        for number in range(files.count):
            descriptor = os.open(root / files.folder / str(number), os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fdatasync(descriptor)
            finally:
                os.close(descriptor)


class _Eviction:
    """A helper process (``evictor.py``) that keeps files out of the page cache until :meth:`end`, or until this process
    ends. ``folder`` is its working directory."""

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

    def end(self) -> _Evicted:
        """End it. Raises ``StorageError`` where the helper has ended by itself, or does not end."""
        try:
            printed, complaint = self._process.communicate(timeout=_END_TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            self._process.kill()
            self._process.communicate()
            reason = f"the helper that evicts cold files did not end within {_END_TIMEOUT_S:g} s and was killed"
            raise StorageError("evictor-stuck", reason) from error
        if self._process.returncode != 0:
            said = complaint.decode(errors="replace").strip()[-400:]
            raise StorageError("evictor-died", f"the helper that evicts cold files ended by itself: {said}")
        return _read(printed)


def _read(printed: bytes) -> _Evicted:
    said = json.loads(printed)
    seconds, passes = max(said["seconds"], 1e-9), said["passes"]
    return _Evicted(
        every_ms=1000 * seconds / max(passes, 1),
        cpu_percent=100 * said["cpu_s"] / seconds,
        resident_percent=100 * said["in"] / said["seen"] if said["seen"] else None,
    )
