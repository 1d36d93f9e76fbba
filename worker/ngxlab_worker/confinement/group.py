"""A control group for all children of a trial: the kernel counts and bounds their memory, processes and threads.

Whether this host allows one is determined by trying it.

Sources: the kernel's Documentation/admin-guide/cgroup-v1/{memory,pids}.rst and cgroup-v2.rst.
"""

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ngxlab_contracts.hosts import Capability

from ngxlab_worker.confinement.bounds import Bounds, memory_cap, process_cap
from ngxlab_worker.core import cgroups
from ngxlab_worker.core.cgroups import Hierarchy

_ENTER = 'while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift; exec "$@"'
"""Writing 0 moves the writing process itself; then it becomes the program."""


_DEATH_TIMEOUT_S = 2.0
_LONGEST = 4096
_POLL_S = 0.01


@dataclass(frozen=True)
class Group:
    """``memory`` and ``pids`` are the group's folders in the two controllers' trees; one in version 2."""

    version: int
    memory: Path
    pids: Path

    @classmethod
    def create(cls, name: str, bounds: Bounds, proc: Path = Path("/proc")) -> "Group":
        """Raises ``OSError``, whose text says why this host allows none."""
        memory, pids = cgroups.hierarchy("memory", "memory", proc), cgroups.hierarchy("pids", "pids", proc)
        if memory is None or pids is None:
            missing = "memory" if memory is None else "pids"
            raise OSError(f"no control group with the controller {missing} is mounted")
        group = cls(memory.version, memory.group(name), pids.group(name))
        try:
            for tree in (memory, pids):
                _make(tree, name)
            group._bound(bounds)
        except OSError:
            with contextlib.suppress(OSError):
                group.remove()
            raise
        return group

    @property
    def folders(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys((self.memory, self.pids)))

    def exceeded(self, bounds: Bounds) -> str | None:
        """Which bound the kernel has enforced since the group was created."""
        kills, forks = self._counted
        if _count(kills, b"oom_kill"):
            return memory_cap(bounds)
        if _count(forks, b"max"):
            return process_cap(bounds)
        return None

    @cached_property
    def _counted(self) -> tuple[str, str]:
        """Files that have the kernel's counts: as text, since they are read again and again."""
        kills = ("memory.oom_control", "memory.events")[self.version - 1]
        return str(self.memory / kills), str(self.pids / "pids.events")

    def members(self) -> list[int]:
        subgroups = (path.parent for path in self.pids.glob("*/cgroup.procs"))
        return [pid for folder in (self.pids, *subgroups) for pid in cgroups.members(folder)]

    def remove(self) -> None:
        """Kill members that are left, whose holder somebody killed, and remove the group. Raises ``OSError``."""
        deadline = time.monotonic() + _DEATH_TIMEOUT_S
        while (left := self.members()) and time.monotonic() < deadline:
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_POLL_S)
        for folder in self.folders:
            cgroups.remove_group(folder)

    def _bound(self, bounds: Bounds) -> None:
        size = str(bounds.memory_bytes)
        if self.version == 1:
            (self.memory / "memory.limit_in_bytes").write_text(size)
            with contextlib.suppress(OSError):  # only where the kernel accounts swap
                (self.memory / "memory.memsw.limit_in_bytes").write_text(size)
        else:
            (self.memory / "memory.max").write_text(size)
            with contextlib.suppress(OSError):
                (self.memory / "memory.swap.max").write_text("0")
        (self.pids / "pids.max").write_text(str(bounds.processes))


def enter(folders: Sequence[Path], inside: Path | None = None) -> list[str]:
    """The first part of a command line that makes the program, and all that it starts, members of these groups.

    ``inside``: of this one too; it replaces the group that it is in.
    """
    chosen = [folder for folder in folders if inside is None or not inside.is_relative_to(folder)]
    chosen += [inside] if inside is not None else []
    if not chosen:
        return []
    return ["/bin/sh", "-c", _ENTER, "enter", *(str(folder / "cgroup.procs") for folder in chosen), "--"]


def _make(tree: Hierarchy, name: str) -> None:
    if tree.version == 2:
        (tree.base / "cgroup.subtree_control").write_text("+memory +pids")
    tree.group(name).mkdir(exist_ok=True)


def _count(file: str, key: bytes) -> int:
    """A line ``KEY NUMBER`` of the kernel's; 0 where there is none."""
    try:
        opened = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            rows = dict(line.split()[:2] for line in os.read(opened, _LONGEST).splitlines())
        finally:
            os.close(opened)
    except OSError:
        return 0
    return int(rows.get(key, 0))


_FILES = "file bytes by a limit of each file and a watch of the trial's folder"


def probe_confinement() -> Capability:
    """Whether the kernel itself bounds the sum of all children: create and remove a group, in about a millisecond."""
    try:
        group = Group.create(f"probe-{os.getpid()}", Bounds(1 << 30, 16, 0))
        group.remove()
    except OSError as error:
        reason = error.strerror or str(error)
        detail = (
            f"no control group for memory and processes ({reason}): limits of each process and a watch of their sum "
            f"instead; {_FILES}. Run the agent as root where control groups are writable"
        )
        return Capability(name="caps", available=False, detail=detail)
    detail = f"memory, processes and threads by control group v{group.version}; {_FILES}"
    return Capability(name="caps", available=True, detail=detail)
