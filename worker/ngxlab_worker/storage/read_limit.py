"""Limits how fast a group of processes reads from a block device, and tries once whether this host can.

Sources: the kernel's Documentation/admin-guide/cgroup-v1/blkio-controller.rst and cgroup-v2.rst (io.max).
"""

import os
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

from ngxlab_contracts.files import FileSet
from ngxlab_contracts.hosts import Capability
from ngxlab_contracts.trials import ColdFiles

from ngxlab_worker.core import cgroups
from ngxlab_worker.core.cgroups import Hierarchy, name_of
from ngxlab_worker.storage.disk import StorageError, make_disk, release


class ReadLimit:
    """A cgroup whose members share one limit on one device. In version 2, where a process has one group for all
    controllers, it is the trial's: only nginx reads from the device anyway."""

    def __init__(self, hierarchy: Hierarchy, name: str) -> None:
        """Raises ``StorageError``."""
        self._version = hierarchy.version
        self.folder = hierarchy.group(name)
        try:
            if self._version == 2:
                (hierarchy.base / "cgroup.subtree_control").write_text("+io")
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise StorageError(
                "throttle-failed", f"cannot create a cgroup in {hierarchy.base}: {error.strerror}"
            ) from error

    def limit(self, device: str, cold: ColdFiles) -> None:
        """``device``: major:minor. Raises ``StorageError``."""
        for name, text in _settings(self._version, device, cold):
            try:
                (self.folder / name).write_text(text)
            except OSError as error:
                raise StorageError("throttle-failed", f"{self.folder / name}: {error.strerror}") from error

    def add(self, pids: list[int]) -> None:
        """Add processes with all their threads; their children become members too. Ended processes are skipped."""
        cgroups.join(self.folder, pids)

    def close(self) -> None:
        """Remove the group, unless it is the trial's own. Raises ``OSError``."""
        if self._version == 1:
            cgroups.remove_group(self.folder)


def hierarchy() -> Hierarchy | None:
    """Version 1's blkio where it is mounted, else version 2 with the io controller."""
    return cgroups.hierarchy("blkio", "io")


def _settings(version: int, device: str, cold: ColdFiles) -> list[tuple[str, str]]:
    bps, iops = cold.read_bytes_per_s, cold.read_ops_per_s
    if version == 2:
        return [("io.max", f"{device} rbps={bps or 'max'} riops={iops or 'max'}")]
    limits = (("blkio.throttle.read_bps_device", bps), ("blkio.throttle.read_iops_device", iops))
    return [(name, f"{device} {value}") for name, value in limits if value is not None]


_READ_BYTES = 256 << 10
_BYTES_PER_S = 1 << 20
_LEAST_SHARE = 0.5
"""The least fraction of the time that reading should take; without a limit it takes less than a hundredth."""


@cache
def probe_throttling() -> Capability:
    """Mount a file system of a few megabytes, and read 256 KiB from it under a limit; takes about 0.4 s."""
    available, detail = _try_throttling()
    return Capability(name="throttled-disk", available=available, detail=detail)


def _try_throttling() -> tuple[bool, str]:
    if os.geteuid() != 0:
        return False, "the agent is not root, so it may neither mount a file system nor limit reading: run it as root"
    try:
        groups = hierarchy()
        if groups is None:
            return False, "neither cgroup v1's blkio nor v2's io controller is mounted: mount one of them"
        took_s = _read_slowly(groups)
    except (OSError, StorageError) as error:
        return False, f"a throttled loop device does not work here: {error}"
    if took_s < _LEAST_SHARE * _READ_BYTES / _BYTES_PER_S:
        return (
            False,
            f"cgroup v{groups.version} does not limit reading here: the kernel needs CONFIG_BLK_DEV_THROTTLING",
        )
    return True, f"cgroup v{groups.version} limits reading from a loop device"


def _read_slowly(where: Hierarchy) -> float:
    with tempfile.TemporaryDirectory(prefix="ngxlab-probe-") as name:
        folder = Path(name)
        try:
            disk = make_disk(folder / "image", folder / "disk", [FileSet(folder="x", count=1, size_bytes=_READ_BYTES)])
            file = disk.mounted_on / "0"
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC)
            os.write(descriptor, b"x" * _READ_BYTES)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)
            group = ReadLimit(where, name_of(folder))
            group.limit(disk.device, ColdFiles(method="throttle", read_bytes_per_s=_BYTES_PER_S))
            reader = ["/bin/sh", "-c", 'echo $$ > "$0" && exec cat "$1"', str(group.folder / "cgroup.procs"), str(file)]
            began = time.monotonic()
            subprocess.run(reader, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=10)
            return time.monotonic() - began
        except subprocess.SubprocessError as error:
            raise StorageError("throttle-failed", str(error)) from error
        finally:
            release(folder)
