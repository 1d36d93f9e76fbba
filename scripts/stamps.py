"""Skip work whose inputs have not changed: a stamp file holds the hash of the contents it was made from."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

SKIPPED_FOLDERS = frozenset({"node_modules", "dist", "__pycache__", "tests", "test-results"})


def content_hash(paths: Iterable[Path], *extra: str) -> str:
    """SHA-256 over the names and contents of files and folders (without build products), and ``extra`` texts."""
    digest = hashlib.sha256()
    for path in _files(paths):
        digest.update(f"{path}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    for text in extra:
        digest.update(f"\0{text}".encode())
    return digest.hexdigest()


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_file():
            yield path
        elif path.is_dir() and path.name not in SKIPPED_FOLDERS:
            yield from _files(sorted(path.iterdir()))


def is_current(stamp: Path, value: str) -> bool:
    return stamp.is_file() and stamp.read_text() == value


def mark(stamp: Path, value: str) -> None:
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(value)
