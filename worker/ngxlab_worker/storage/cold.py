"""Where a trial's cold files lie, and what keeps them cold from before the load until the trial's end."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from ngxlab_contracts.trials import ColdFiles, FileSet, NginxSpec

from ngxlab_worker.storage.cgroup import ReadLimit, hierarchy
from ngxlab_worker.storage.disk import Disk, StorageError, make_disk
from ngxlab_worker.storage.eviction import Eviction, require_descriptors, write_out
from ngxlab_worker.storage.leftovers import release

Note = Callable[[Literal["info", "warning", "error"], str, str], None]
"""``note(severity, code, message)``: something the report must say."""

_SLOW = 2.0
"""An eviction this much rarer than asked is worth a warning."""


class ColdStorage:
    """Use in order: :meth:`prepare`, :meth:`begin`, :meth:`confine`, :meth:`close`. ``close`` is safe in every state,
    once the trial's nginx has ended. Without cold files all of it does nothing."""

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
        """Names of block devices that are only for this trial."""
        return frozenset() if self._disk is None else frozenset({self._disk.name})

    @property
    def helpers(self) -> list[int]:
        """Processes that keep files cold."""
        return [] if self._eviction is None else [self._eviction.pid]

    def prepare(self) -> Path | None:
        """The folder that cold files are to be made in, where they get a device of their own.

        Raises ``StorageError`` or ``OSError``.
        """
        require_descriptors(self._sets)
        if not self._sets or self._cold.method != "throttle":
            return None
        found = hierarchy()
        if found is None:
            raise StorageError("throttle-failed", "no cgroup can limit reading here")
        self._used = True
        self._disk = make_disk(self._folder / "cold.img", self._folder / "cold", self._sets)
        self._limit = ReadLimit(found, self._folder.name)
        self._limit.limit(self._disk.device, self._cold)
        return self._disk.mounted_on

    def begin(self, library: Path) -> None:
        """The files have been made, in ``library`` unless they have a device of their own: keep them out of memory
        from now on. Raises ``StorageError`` or ``OSError``."""
        if self._sets:
            root = library if self._disk is None else self._disk.mounted_on
            write_out(root, self._sets)
            self._eviction = Eviction(root, self._sets, self._cold.evict_every_ms, self._folder)

    def confine(self, pids: list[int]) -> None:
        """These processes read as slowly as is asked, with all that they start. Raises ``OSError``."""
        if self._limit is not None:
            self._limit.add(pids)

    def close(self) -> None:
        """Undo everything, and say what the eviction did. Raises ``StorageError`` or ``OSError``."""
        eviction, self._eviction = self._eviction, None
        try:
            if eviction is not None:
                self._report(eviction)
        finally:
            if self._used:
                release(self._folder)

    def _report(self, eviction: Eviction) -> None:
        try:
            done = eviction.end()
        except StorageError as error:
            self._note("error", error.code, str(error))
            return
        seen = "unknown" if done.resident_percent is None else f"{done.resident_percent:.0f} %"
        message = (
            f"cold files were dropped from memory each {done.every_ms:.0f} ms ({done.cpu_percent:.0f} % of a core); "
            f"of a file's pages {seen} were there just before"
        )
        self._note("info", "cold-files", message)
        if done.every_ms > _SLOW * self._cold.evict_every_ms:
            late = f"asked for each {self._cold.evict_every_ms} ms: fewer or smaller cold files are dropped faster"
            self._note("warning", "eviction-slow", f"{message}; {late}")
