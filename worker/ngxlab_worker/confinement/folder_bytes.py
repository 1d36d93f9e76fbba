"""How much disk a trial uses: the files in its folder, and those that its processes hold open after removing them."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

_SECTOR = 512


def folder_bytes(folder: Path, without: frozenset[str] = frozenset()) -> int:
    """What the files below ``folder`` take on the disk, leaving out the entries of ``folder`` itself that are named."""
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
    """What removed but open files on ``device`` (st_dev) take. nginx removes temporary files as soon as it has them.

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
