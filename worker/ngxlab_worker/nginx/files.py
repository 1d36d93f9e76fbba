"""The files that a trial's nginx serves, created for each trial."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from ngxlab_contracts.files import FileSet

from ngxlab_worker.nginx.content import BLOCK, content_of

STRIDE = 1_000_003
"""A prime, so that consecutive files start far apart in the block, and the first BLOCK files all differ."""
MOST_VECTORS = 512
LIBRARY = "files"


def make_files(folder: Path, sets: list[FileSet], check: Callable[[], None], cold_root: Path | None = None) -> None:
    """Create ``folder``/files/SET/0 to count-1. Cold sets are created below ``cold_root``, if given, and linked to.

    A file is a window into the 4 MiB of its set's content, repeated for larger files: that is as fast as the disk, and
    longer than the window of any compression in HTTP. ``check`` is called before each file and may raise to stop.
    Raises ``OSError``, also where the disk has too little space.
    """
    if not sets:
        return
    needed, free = sum(files.total_bytes for files in sets), shutil.disk_usage(folder).free
    if needed > free:
        raise OSError(f"the trial's files need {needed:,} bytes, but {folder} has only {free:,} free")
    library = _make_folder(folder / LIBRARY)
    for files in sets:
        place, block = _make_place(library, files, cold_root), memoryview(content_of(files))
        for number, size in enumerate(files.each_bytes):
            check()
            _write(place / str(number), block, number * STRIDE % BLOCK, size)


def _make_place(library: Path, files: FileSet, cold_root: Path | None) -> Path:
    if not files.cold or cold_root is None:
        return _make_folder(library / files.folder)
    place = _make_folder(cold_root / files.folder)
    (library / files.folder).symlink_to(place)
    return place


def _make_folder(path: Path) -> Path:
    path.mkdir()
    path.chmod(0o755)  # whatever the umask: nginx runs as another user
    return path


def _write(path: Path, block: memoryview, begin: int, size: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC)
    try:
        os.fchmod(descriptor, 0o644)
        while size:
            written = os.writev(descriptor, _window(block, begin, size))
            begin, size = (begin + written) % BLOCK, size - written
    finally:
        os.close(descriptor)


def _window(block: memoryview, begin: int, size: int) -> list[memoryview]:
    """The next ``size`` bytes from ``begin`` on, repeating the block, in as many pieces as one call may take."""
    pieces = [block[begin : begin + size]]
    left = size - len(pieces[0])
    while left and len(pieces) < MOST_VECTORS:
        pieces.append(block[:left])
        left -= len(pieces[-1])
    return pieces
