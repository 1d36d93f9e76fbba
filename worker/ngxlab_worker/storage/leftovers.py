"""Undoes what a trial's storage set up outside its folder, whoever set it up: for its end, and for the reaper."""

import re
import time
from pathlib import Path

from ngxlab_worker.storage.cgroup import remove_groups
from ngxlab_worker.storage.disk import StorageError, detach, unmount

_BUSY_TIMEOUT_S = 2.0
_POLL_S = 0.02
_OCTAL = re.compile(r"\\([0-7]{3})")


def release(folder: Path) -> None:
    """Unmount everything below a trial's folder, let go of its loop devices, and remove its cgroup. Its processes must
    have ended. Harmless where there is nothing. Raises ``StorageError`` or ``OSError``."""
    for mount_point in mounts_below(folder):
        _unmount(mount_point)
    for node in _loop_devices(folder):
        detach(node)
    remove_groups(folder.name)


def mounts_below(folder: Path) -> list[Path]:
    """Those mounted last first. Source: proc_pid_mountinfo(5)."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    points = [Path(_OCTAL.sub(lambda found: chr(int(found[1], 8)), line.split()[4])) for line in lines]
    return [point for point in reversed(points) if point.is_relative_to(folder)]


def _unmount(mount_point: Path) -> None:
    deadline = time.monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            unmount(mount_point)
        except StorageError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)  # whoever used it has ended a moment ago
        else:
            return


def _loop_devices(folder: Path) -> list[str]:
    """Attached to an image below ``folder``: only where an agent was killed between attaching and mounting."""
    found = []
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        try:
            image = Path(backing.read_text().strip())
        except OSError:
            continue  # let go of meanwhile
        if image.is_relative_to(folder):
            found.append(f"/dev/{backing.parts[3]}")
    return found
