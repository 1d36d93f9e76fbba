"""Limits how fast a group of processes reads from a block device.

Sources: the kernel's Documentation/admin-guide/cgroup-v1/blkio-controller.rst and cgroup-v2.rst (io.max).
"""

import contextlib
import errno
import os
import time
from dataclasses import dataclass
from pathlib import Path

from ngxlab_contracts.trials import ColdFiles

from ngxlab_worker.storage.disk import StorageError

PREFIX = "ngxlab-"
_REMOVE_TIMEOUT_S = 2.0
_POLL_S = 0.01


@dataclass(frozen=True)
class Hierarchy:
    """Where groups with a read limit can be created: in ``base``, in the tree mounted on ``mount``, of cgroup
    ``version`` 1 (blkio) or 2 (io)."""

    version: int
    mount: Path
    base: Path


class ReadLimit:
    """A cgroup whose members share one limit on one device."""

    def __init__(self, hierarchy: Hierarchy, name: str) -> None:
        """Raises ``StorageError``."""
        self._version = hierarchy.version
        self._folder = hierarchy.base / f"{PREFIX}{name}"
        try:
            if self._version == 2:
                (hierarchy.base / "cgroup.subtree_control").write_text("+io")
            self._folder.mkdir()
        except OSError as error:
            raise StorageError(
                "throttle-failed", f"cannot create a cgroup in {hierarchy.base}: {error.strerror}"
            ) from error

    @property
    def members(self) -> Path:
        """The file that takes the ids of processes to be limited."""
        return self._folder / "cgroup.procs"

    def limit(self, device: str, cold: ColdFiles) -> None:
        """``device``: major:minor. Raises ``StorageError``."""
        for name, text in _settings(self._version, device, cold):
            try:
                (self._folder / name).write_text(text)
            except OSError as error:
                raise StorageError("throttle-failed", f"{self._folder / name}: {error.strerror}") from error

    def add(self, pids: list[int]) -> None:
        """Add processes with all their threads; their children become members too. Ended processes are skipped."""
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                self.members.write_text(str(pid))


def hierarchy() -> Hierarchy | None:
    """Version 1's blkio where it is mounted, else version 2 with the io controller."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    for _, place, kind, options, *_ in mounts:
        if kind == "cgroup" and "blkio" in options.split(","):
            return Hierarchy(1, Path(place), _own_group(Path(place)))
    for _, place, kind, *_ in mounts:
        controllers = Path(place, "cgroup.controllers")
        if kind == "cgroup2" and "io" in controllers.read_text().split():
            # Not in our own group: a group that has members cannot contain groups with controllers.
            return Hierarchy(2, Path(place), Path(place))
    return None


def remove_groups(name: str) -> None:
    """Remove every group of this name, in whichever group the agent was when it created it, once the members have
    ended. Raises ``OSError``."""
    here = hierarchy()
    if here is not None:
        # os.walk ignores groups that others remove meanwhile.
        for place, groups, _ in os.walk(here.mount):
            if f"{PREFIX}{name}" in groups:
                _remove_group(Path(place, f"{PREFIX}{name}"))


def _remove_group(folder: Path) -> None:
    deadline = time.monotonic() + _REMOVE_TIMEOUT_S
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)  # a member that has just ended still counts for a moment
        else:
            return


def _own_group(mount: Path) -> Path:
    """Our own group if the mount shows it, else the mount: in a container it may show another part of the tree."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        own = mount / path.lstrip("/")
        if "blkio" in controllers.split(",") and own.is_dir():
            return own
    return mount


def _settings(version: int, device: str, cold: ColdFiles) -> list[tuple[str, str]]:
    bps, iops = cold.read_bytes_per_s, cold.read_ops_per_s
    if version == 2:
        return [("io.max", f"{device} rbps={bps or 'max'} riops={iops or 'max'}")]
    limits = (("blkio.throttle.read_bps_device", bps), ("blkio.throttle.read_iops_device", iops))
    return [(name, f"{device} {value}") for name, value in limits if value is not None]
