"""Holds the children of one trial within bounds: by a control group, or by limits of each process and their sum."""

import os
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import structlog

from ngxlab_worker.confinement.bounds import Bounds, Tally, file_cap, refused, threads_of
from ngxlab_worker.confinement.fence import Fence, make_fence, remove_fence
from ngxlab_worker.confinement.group import Group, enter
from ngxlab_worker.core.cgroups import name_of
from ngxlab_worker.core.files import free_bytes

_SUSPICIOUS_SHARE = 0.5
"""Looking for removed files takes a while with many descriptors: only where that much free space has gone."""
_REMOVED_EVERY_S = 2.0
_OFTEN_S, _SELDOM_S = 0.25, 1.0
_AMPLE_SHARE = 0.5
_UNTOUCHED_BYTES = 1 << 30
"""RLIMIT_DATA counts what a process has asked for, used or not: wrk asks for 240 MB for each histogram of 30 s."""


class Confinement:
    """``folder`` is the trial's. ``declared_bytes``: files that the agent creates in
    ``prepared``, entries of the folder which are not measured again. Close it once all children have ended."""

    def __init__(
        self,
        folder: Path,
        bounds: Bounds,
        declared_bytes: int = 0,
        prepared: Iterable[str] = (),
        uid: int | None = None,
    ) -> None:
        self.bounds = bounds
        self._folder = folder
        self._declared_bytes = declared_bytes
        self._prepared = frozenset(prepared)
        self._tally = Tally()
        self._group: Group | None = None
        self._process_limit = bounds.processes
        self._free_at_start = free_bytes(folder.parent)
        self._removed_due_s = 0.0
        self._removed_bytes = 0
        self._file_bytes = 0
        self._hit: str | None = None
        self._fences: dict[Fence, Path] = {}
        try:
            self._group = Group.create(name_of(folder), bounds)
        except OSError:
            self._process_limit += threads_of(os.geteuid() if uid is None else uid)

    def launched(self, pid: int) -> None:
        self._tally.add(pid)

    def entry(self, fence: Fence | None = None) -> list[str]:
        """The first part of a child's command line, while it still has the agent's rights.

        ``fence``: all that its sockets can reach. Raises ``OSError`` where the kernel does not ensure that.
        """
        inside = None if fence is None else self._fence(fence)
        return enter([] if self._group is None else self._group.folders, inside)

    def _fence(self, fence: Fence) -> Path:
        if fence not in self._fences:
            self._fences[fence] = make_fence(name_of(self._folder), len(self._fences), fence)
        return self._fences[fence]

    def limits(self) -> dict[str, int]:
        """Limits of each process, by prlimit's names: without a group those of the whole trial, for lack of better."""
        limits = {"fsize": max(0, self.bounds.file_bytes - self._declared_bytes)}
        if self._group is None:
            limits |= {"nproc": self._process_limit, "data": 2 * self.bounds.memory_bytes + _UNTOUCHED_BYTES}
        return limits

    def exceeded(self) -> str | None:
        """Which of the owner's caps has been hit so far, in words; ``None`` while none has."""
        self._hit = self._hit or self._look()
        return self._hit

    def pause_s(self) -> float:
        """Until it is worth looking again: soon where nobody else enforces the caps, or files have come near to theirs.
        The kernel enforces those of a control group by itself, and a look only finds out about it."""
        ample = self._file_bytes < _AMPLE_SHARE * self.bounds.file_bytes
        return _SELDOM_S if ample and self._group is not None else _OFTEN_S

    def _look(self) -> str | None:
        if self._group is not None:
            reason = self._group.exceeded(self.bounds)
        else:
            reason = self._tally.exceeded(self.bounds) or refused(self._folder, self.bounds)
        self._file_bytes = self._measured_file_bytes()
        if reason is None and self._file_bytes > self.bounds.file_bytes:
            reason = file_cap(self.bounds)
        return reason

    def kill(self) -> None:
        """Kill all children at once; they are still to be reaped by who started them."""
        for pid in self._tally.killable() if self._group is None else self._group.members():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def close(self) -> None:
        """Raises ``OSError`` where children are still alive."""
        for fence in self._fences.values():
            remove_fence(fence)
        if self._group is not None:
            self._group.remove()

    def _members(self) -> list[int]:
        return self._tally.members() if self._group is None else self._group.members()

    def _measured_file_bytes(self) -> int:
        used = self._declared_bytes + folder_bytes(self._folder, self._prepared)
        gone = self._free_at_start - free_bytes(self._folder.parent)
        if gone > _SUSPICIOUS_SHARE * self.bounds.file_bytes and time.monotonic() >= self._removed_due_s:
            self._removed_due_s = time.monotonic() + _REMOVED_EVERY_S
            self._removed_bytes = removed_bytes(self._members(), self._folder.parent.stat().st_dev)
        return used + self._removed_bytes


log = structlog.get_logger(__name__)


class CapWatch:
    """A context manager. ``tell`` is called once, from another thread, with the cap in words, before the children are
    killed."""

    def __init__(self, confinement: Confinement, tell: Callable[[str], None]) -> None:
        self._confinement = confinement
        self._tell = tell
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="caps", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(self._confinement.pause_s()):
            try:
                if reason := self._confinement.exceeded():
                    self._tell(reason)
                    self._confinement.kill()
                    return
            except Exception:  # a cap that is not looked at binds nobody
                log.exception("caps could not be looked at; trying again")


_SECTOR = 512


def folder_bytes(folder: Path, without: frozenset[str] = frozenset()) -> int:
    """Disk space of the files below ``folder``, leaving out the entries of ``folder`` itself that are named."""
    total = 0
    waiting = [top := str(folder)]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    if place is top and entry.name in without:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * _SECTOR
        except OSError:
            continue  # removed meanwhile
    return total


def removed_bytes(pids: Iterable[int], device: int) -> int:
    """Space of removed but open files on ``device`` (st_dev). nginx removes temporary files as soon as it has them.

    Takes about 3 us for each descriptor.
    """
    seen: dict[int, int] = {}
    for pid in pids:
        try:
            with os.scandir(f"/proc/{pid}/fd") as descriptors:
                for descriptor in descriptors:
                    file = descriptor.stat()
                    if stat.S_ISREG(file.st_mode) and file.st_nlink == 0 and file.st_dev == device:
                        seen[file.st_ino] = file.st_blocks * _SECTOR
        except OSError:
            continue  # ended, or closed meanwhile
    return sum(seen.values())
