"""Undoes what a trial's storage set up outside its folder: at the trial's end, and in the reaper."""

import re
import time
from pathlib import Path

from ngxlab_worker.core.cgroups import name_of, remove_groups
from ngxlab_worker.storage.disk import StorageError, detach, unmount

_BUSY_TIMEOUT_S = 2.0
_POLL_S = 0.02
_OCTAL = re.compile(r"\\([0-7]{3})")


def release(folder: Path) -> None:
    """Undo all that a trial of this host may have left outside ``folder``. Its processes must have ended.

    Raises ``StorageError`` or ``OSError``.
    """
    release_disks(folder)
    remove_groups(name_of(folder))


def release_disks(folder: Path) -> None:
    """Unmount everything below a trial's folder, and free its loop devices. Raises ``StorageError`` or ``OSError``."""
    for mount_point in mounts_below(folder):
        _unmount(mount_point)
    for node in _loop_devices(folder):
        detach(node)


def mounts_below(folder: Path) -> list[Path]:
    """The mount points below ``folder``, those mounted last first. Source: proc_pid_mountinfo(5)."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    points = [Path(_OCTAL.sub(lambda code: chr(int(code[1], 8)), line.split()[4])) for line in lines]
    return [point for point in reversed(points) if point.is_relative_to(folder)]


def _unmount(mount_point: Path) -> None:
    deadline = time.monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            unmount(mount_point)
        except StorageError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)  # its last user has only just ended
        else:
            return


def _loop_devices(folder: Path) -> list[str]:
    """Loop devices with an image below ``folder``: of an agent that was killed between attaching and mounting."""
    nodes = []
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        try:
            image = Path(backing.read_text().strip())
        except OSError:
            continue  # freed meanwhile
        if image.is_relative_to(folder):
            nodes.append(f"/dev/{backing.parts[3]}")
    return nodes
