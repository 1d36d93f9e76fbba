"""Limits how fast a group of processes reads from a block device.

Sources: the kernel's Documentation/admin-guide/cgroup-v1/blkio-controller.rst and cgroup-v2.rst (io.max).
"""

from pathlib import Path

from ngxlab_contracts.trials import ColdFiles

from ngxlab_worker.core import cgroups
from ngxlab_worker.core.cgroups import Hierarchy
from ngxlab_worker.storage.disk import StorageError


class ReadLimit:
    """A cgroup whose members share one limit on one device. In version 2, where a process has one group for all
    controllers, it is the trial's: only nginx reads from the device anyway."""

    def __init__(self, hierarchy: Hierarchy, name: str) -> None:
        """Raises ``StorageError``."""
        self._version = hierarchy.version
        self._folder = hierarchy.group(name)
        try:
            if self._version == 2:
                (hierarchy.base / "cgroup.subtree_control").write_text("+io")
            self._folder.mkdir(exist_ok=True)
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
        cgroups.join(self._folder, pids)

    def close(self) -> None:
        """Remove the group, unless it is the trial's own. Raises ``OSError``."""
        if self._version == 1:
            cgroups.remove_group(self._folder)


def hierarchy() -> Hierarchy | None:
    """Version 1's blkio where it is mounted, else version 2 with the io controller."""
    return cgroups.hierarchy("blkio", "io")


def _settings(version: int, device: str, cold: ColdFiles) -> list[tuple[str, str]]:
    bps, iops = cold.read_bytes_per_s, cold.read_ops_per_s
    if version == 2:
        return [("io.max", f"{device} rbps={bps or 'max'} riops={iops or 'max'}")]
    limits = (("blkio.throttle.read_bps_device", bps), ("blkio.throttle.read_iops_device", iops))
    return [(name, f"{device} {value}") for name, value in limits if value is not None]
