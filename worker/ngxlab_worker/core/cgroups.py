"""Where this host lets the agent create control groups, and how they are removed.

Sources: the kernel's Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst.
"""

import errno
import os
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

PREFIX = "ngxlab-"
_REMOVE_TIMEOUT_S = 2.0
_POLL_S = 0.01
_VERSION_1 = frozenset({"blkio", "memory", "pids"})
"""Controllers that we use where version 1 is mounted."""


@dataclass(frozen=True)
class Hierarchy:
    """Where groups can be created: in ``base``, in the tree mounted on ``mount``, of cgroup ``version`` 1 or 2."""

    version: int
    mount: Path
    base: Path

    def group(self, name: str) -> Path:
        return self.base / f"{PREFIX}{name}"


def hierarchy(v1: str, v2: str, proc: Path = Path("/proc")) -> Hierarchy | None:
    """The tree with the controller that version 1 calls ``v1`` where that is mounted, else the one with ``v2``."""
    mounts = _mounts(proc)
    for place, kind, options in mounts:
        if kind == "cgroup" and v1 in options:
            return Hierarchy(1, place, _own_group(place, v1, proc))
    for place, kind, _ in mounts:
        if kind == "cgroup2" and v2 in (place / "cgroup.controllers").read_text().split():
            return _second(place)
    return None


def unified(proc: Path = Path("/proc")) -> Hierarchy | None:
    """The tree of version 2, whichever controllers it has; BPF programs are attached to its groups."""
    return next((_second(place) for place, kind, _ in _mounts(proc) if kind == "cgroup2"), None)


def join(group: Path, pids: list[int]) -> None:
    """Add processes with all their threads; their children become members too. Ended processes are skipped."""
    for pid in pids:
        try:
            (group / "cgroup.procs").write_text(str(pid))
        except ProcessLookupError:
            continue


def members(group: Path) -> list[int]:
    """The processes of a group, without those of its subgroups."""
    try:
        return [int(word) for word in (group / "cgroup.procs").read_text().split()]
    except OSError:
        return []  # it is gone


def name_of(folder: Path) -> str:
    """The name of a trial's groups: several agents on one machine may take part in the same trial."""
    return f"{folder.name}-{sha256(os.fsencode(folder.parent)).hexdigest()[:8]}"


def remove_groups(name: str) -> None:
    """Remove every group of this name, in whichever group the agent was when it created it, once the members have
    ended. Raises ``OSError``."""
    for mount, kind, options in _mounts(Path("/proc")):
        if kind != "cgroup2" and not (kind == "cgroup" and _VERSION_1 & options):
            continue
        # os.walk ignores groups that others remove meanwhile.
        for place, groups, _ in os.walk(mount):
            if f"{PREFIX}{name}" in groups:
                remove_group(Path(place, f"{PREFIX}{name}"))


def remove_group(folder: Path) -> None:
    """Remove a group and the groups in it, if it exists, once its members have ended. Raises ``OSError``."""
    deadline = time.monotonic() + _REMOVE_TIMEOUT_S
    for place, _, _ in os.walk(folder, topdown=False):
        while True:
            try:
                Path(place).rmdir()
            except FileNotFoundError:
                break
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() > deadline:
                    raise
                time.sleep(_POLL_S)  # a member that has just ended still counts for a moment
            else:
                break


def _second(mount: Path) -> Hierarchy:
    # Not in our own group: a group that has members cannot contain groups with controllers.
    return Hierarchy(2, mount, mount)


def _mounts(proc: Path) -> list[tuple[Path, str, frozenset[str]]]:
    """Place, kind and options of each mount of control groups."""
    rows = [line.split() for line in (proc / "mounts").read_text().splitlines()]
    return [(Path(row[1]), row[2], frozenset(row[3].split(","))) for row in rows if row[2] in {"cgroup", "cgroup2"}]


def _own_group(mount: Path, controller: str, proc: Path) -> Path:
    """Our own group if the mount shows it, else the mount: in a container it may show another part of the tree."""
    for line in (proc / "self" / "cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        own = mount / path.lstrip("/")
        if controller in controllers.split(",") and own.is_dir():
            return own
    return mount
