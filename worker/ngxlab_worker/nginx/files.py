"""The files that a trial's nginx serves, created for each trial.

Their content is 4 MiB by kind and seed, of which every file is a window. Only raw output of PCG64 is used, which numpy
promises never to change, unlike its distributions; so the content of a set is the same on every host and in every
version of ngxlab.
"""

import base64
import os
import shutil
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from ngxlab_contracts.files import FileSet

STRIDE = 1_000_003
"""A prime, so that consecutive files start far apart in the block, and the first BLOCK files all differ."""
MOST_VECTORS = 512
LIBRARY = "files"


Wanted = Callable[[FileSet, int], bool]
"""Whether a set's file of this number is to be created."""


def make_files(
    folder: Path,
    sets: list[FileSet],
    check: Callable[[], None],
    cold_root: Path | None = None,
    wanted: Wanted = lambda files, number: True,
) -> None:
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
            if not wanted(files, number):
                continue
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


BLOCK = 1 << 22
_WORDS = 4096
_LETTERS = np.frombuffer(b"eeeettaaooiinnsshhrrddlluucmwfgypbvk", dtype=np.uint8)
_TOKEN_BYTES = 48
_PHRASE_WORDS = 12
_PHRASES = 64
_RATIOS = (1.31, 1.39, 1.51, 1.72, 2.11, 2.45, 2.83, 3.37, 4.73, 6.98, 9.25, 11.03)
_MIXTURES = (-1.0, -0.85, -0.7, -0.5, -0.25, -0.1, 0.0, 0.25, 0.5, 0.7, 0.8, 0.85)
"""Measured with zlib's level 6: below 0 the share of tokens that cannot be compressed, above it that of set phrases."""

Numbers = npt.NDArray[np.uint64]


@lru_cache(maxsize=2)
def content(kind: str, ratio: float | None, seed: int) -> bytes:
    """4 MiB. ``ratio``: what gzip -6 makes of text, roughly; ``None`` for words in their natural frequencies."""
    if kind == "random":
        return _raw(seed, BLOCK // 8).astype("<u8").tobytes()
    mixture = 0.0 if ratio is None else float(np.interp(ratio, _RATIOS, _MIXTURES))
    pieces = {"text": _text(seed, mixture), "json": _records(seed), "html": _paragraphs(seed)}[kind]
    made, size = [], 0
    for piece in pieces:
        made.append(piece)
        size += len(piece)
        if size >= BLOCK:
            break
    return b"".join(made)[:BLOCK]


def content_of(files: FileSet) -> bytes:
    return content(files.content, files.compression_ratio, files.seed)


def _raw(seed: int, count: int) -> Numbers:
    return np.random.PCG64(np.random.SeedSequence(seed % 2**64)).random_raw(count)


def _words(seed: int) -> Iterator[bytes]:
    """Words without end, each as frequent as its rank is high (Zipf's law), as in texts that people write."""
    letters, lengths = _raw(seed + 1, _WORDS * 12), _raw(seed + 2, _WORDS) % 9 + 2
    vocabulary = [
        _LETTERS[letters[12 * i : 12 * i + int(length)] % len(_LETTERS)].tobytes() for i, length in enumerate(lengths)
    ]
    for stretch in range(1 << 20):
        uniform = _raw(seed + 3 + stretch, 1 << 16) / 2.0**64
        yield from (vocabulary[rank] for rank in (_WORDS**uniform).astype(int).tolist())


def _text(seed: int, mixture: float) -> Iterator[bytes]:
    """Lines of words; some are set phrases (``mixture`` > 0) or tokens that cannot be compressed (< 0)."""
    words = _words(seed)
    phrases = [_line(words) for _ in range(_PHRASES)]
    threshold = int(abs(mixture) * 2**32)
    for stretch in range(1 << 20):
        for drawn in _raw(seed - 1 - stretch, 1 << 12).tolist():
            if drawn % 2**32 >= threshold:
                yield _line(words)
            elif mixture > 0:
                yield phrases[(drawn >> 32) % _PHRASES]
            else:
                token = _raw(drawn, _TOKEN_BYTES // 8).astype("<u8").tobytes()
                yield base64.b64encode(token) + b"\n"


def _line(words: Iterator[bytes]) -> bytes:
    return b" ".join(next(words) for _ in range(_PHRASE_WORDS)) + b"\n"


def _records(seed: int) -> Iterator[bytes]:
    words = _words(seed)
    for number, drawn in enumerate(_raw(seed, 1 << 16).tolist()):
        name, tags = next(words).decode(), [next(words).decode() for _ in range(3)]
        price, active = drawn % 100_000 / 100, "true" if drawn >> 63 else "false"
        quoted = ", ".join(f'"{tag}"' for tag in tags)
        values = f'"name": "{name}", "price": {price}, "active": {active}, "tags": [{quoted}]'
        yield f'{{"id": {number}, {values}}},\n'.encode()


def _paragraphs(seed: int) -> Iterator[bytes]:
    words = _words(seed)
    for number in range(1 << 16):
        heading, link = next(words), next(words)
        lines = b"".join(_line(words) for _ in range(4))
        yield b'<section id="s%d" class="entry"><h2>%s</h2>\n<p>%s</p><a href="/%s/%d">%s</a></section>\n' % (
            number,
            heading,
            lines,
            link,
            number,
            link,
        )
