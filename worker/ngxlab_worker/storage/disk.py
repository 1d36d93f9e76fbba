"""A small file system for one trial, on a loop device. Sources: losetup(8), mount(8), mke2fs(8), loop(4).

Right after mounting, the device is set to be freed with its last user, so that unmounting undoes everything.
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ngxlab_contracts.files import FileSet

_COMMAND_TIMEOUT_S = 30.0
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
        detach(node)  # takes effect once it is unmounted
    mount_point.chmod(0o755)
    number = Path(node).stat().st_rdev
    return Disk(mount_point, Path(node).name, f"{os.major(number)}:{os.minor(number)}")


def detach(node: str) -> None:
    """Free a loop device, as soon as nobody uses it. Raises ``StorageError``."""
    _run("losetup", "--detach", node)


def unmount(mount_point: Path) -> None:
    """Raises ``StorageError``."""
    _run("umount", str(mount_point))


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
