"""The record at the end of a ZIP file, read before its directory is: a directory may name millions of files."""

import struct
from pathlib import Path

MOST_BYTES = 64 << 10
"""Of the directory: an entry has 46 bytes and its name."""
_END, _ZIP64_LOCATOR_BYTES = struct.Struct("<4s4H2LH"), 20
_END_MARK, _ZIP64_MARK = b"PK\x05\x06", b"PK\x06\x07"


def problem(path: Path, files: int) -> str | None:
    """What is wrong with it, if it is not that of a file with a directory of so many files at its end.

    Without a comment and without ZIP64, since a reader would find another record by them, with another directory.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _END.size - _ZIP64_LOCATOR_BYTES))
        before, end = (text := file.read())[: -_END.size], text[-_END.size :]
    if len(end) < _END.size or not end.startswith(_END_MARK):
        return "It does not end as a ZIP file does"
    _, disk, first_disk, here, entries, length, begin, comment = _END.unpack(end)
    if before.startswith(_ZIP64_MARK) or disk or first_disk or comment or begin + length + _END.size != size:
        return "Its directory is not where that of a small ZIP file is"
    if here != entries or entries != files:
        return f"It has {entries} files instead of {files}"
    return f"Its directory has more than {MOST_BYTES >> 10} KiB" if length > MOST_BYTES else None
