"""A small file system for one trial, on a loop device. Sources: losetup(8), mount(8), mke2fs(8), loop(4).

Right after mounting, the device is set to be freed with its last user, so that unmounting undoes everything: at the
trial's end, or when what an earlier agent left is removed.
"""

import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from ngxlab_contracts.files import FileSet

from ngxlab_worker.core.cgroups import name_of, remove_groups

_COMMAND_TIMEOUT_S = 30.0
_BUSY_TIMEOUT_S = 2.0
_POLL_S = 0.02
_OCTAL = re.compile(r"\\([0-7]{3})")
_SPARE_BYTES = 32 << 20
_SPARE_FILES = 64
_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}


class StorageError(Exception):
    """Files cannot be kept cold as asked. ``code`` is stable; the message is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Disk:
    """``device``: major:minor, as cgroups name it. ``name``: as in /proc/diskstats."""

    mounted_on: Path
    name: str
    device: str


def make_disk(image: Path, mount_point: Path, sets: list[FileSet]) -> Disk:
    """Create an ext4 file system with space for ``sets`` in the sparse file ``image``, and mount it.

    The device bypasses the page cache of the file system that holds the image, if that one supports it. Raises
    ``StorageError``.
    """
    files = sum(one.count for one in sets)
    content = sum(one.total_bytes + one.count * 4096 for one in sets)
    with image.open("xb") as file:
        file.truncate(content * 21 // 20 + _SPARE_BYTES)
    inodes = str(files + _SPARE_FILES)
    # Without a journal, and with all tables written now, only our files are written and read later.
    features = ["-O", "^has_journal", "-m", "0", "-N", inodes, "-E", "lazy_itable_init=0,nodiscard"]
    _run("mkfs.ext4", "-q", "-F", *features, str(image))
    mount_point.mkdir(mode=0o755)
    node = _run("losetup", "--find", "--show", "--direct-io=on", str(image)).strip()
    try:
        _run("mount", "-t", "ext4", "-o", "noatime,nosuid,nodev,noexec", node, str(mount_point))
    finally:
        _run("losetup", "--detach", node)  # takes effect once it is unmounted
    mount_point.chmod(0o755)
    number = Path(node).stat().st_rdev
    return Disk(mount_point, Path(node).name, f"{os.major(number)}:{os.minor(number)}")


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
        _run("losetup", "--detach", node)


def mounts_below(folder: Path) -> list[Path]:
    """The mount points below ``folder``, those mounted last first. Source: proc_pid_mountinfo(5)."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    points = [Path(_OCTAL.sub(lambda code: chr(int(code[1], 8)), line.split()[4])) for line in lines]
    return [point for point in reversed(points) if point.is_relative_to(folder)]


def _unmount(mount_point: Path) -> None:
    deadline = time.monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            _run("umount", str(mount_point))
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


def _run(*argv: str) -> str:
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=_COMMAND_TIMEOUT_S, check=False, env=_ENVIRONMENT
        )
    except FileNotFoundError as error:
        raise StorageError("storage-failed", f"{argv[0]} is not installed on this host") from error
    except subprocess.TimeoutExpired as error:
        raise StorageError("storage-failed", f"{argv[0]} took longer than {_COMMAND_TIMEOUT_S:g} s") from error
    if done.returncode != 0:
        raise StorageError("storage-failed", f"{argv[0]}: {done.stderr.strip() or done.returncode}")
    return done.stdout
