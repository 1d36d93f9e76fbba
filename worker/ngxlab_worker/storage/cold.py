"""Where a trial's cold files are, and what keeps them cold from before the load until the trial's end."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from ngxlab_contracts.files import FileSet
from ngxlab_contracts.trials import ColdFiles, NginxSpec

from ngxlab_worker.core.cgroups import name_of
from ngxlab_worker.storage.disk import Disk, StorageError, make_disk
from ngxlab_worker.storage.eviction import Eviction, require_descriptors, write_out
from ngxlab_worker.storage.leftovers import release_disks
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
        self._eviction: Eviction | None = None

    @property
    def devices(self) -> frozenset[str]:
        """The names of block devices that only this trial uses."""
        return frozenset() if self._disk is None else frozenset({self._disk.name})

    @property
    def helpers(self) -> list[int]:
        """Processes that keep files cold."""
        return [] if self._eviction is None else [self._eviction.pid]

    def prepare(self) -> Path | None:
        """The folder to create cold files in, where they get a device of their own, else ``None``.

        Raises ``StorageError`` or ``OSError``.
        """
        require_descriptors(self._sets)
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
            write_out(root, self._sets)
            self._eviction = Eviction(root, self._sets, self._cold.evict_every_ms, self._folder)

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

    def _report(self, eviction: Eviction) -> None:
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
