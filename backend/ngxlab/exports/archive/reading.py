"""Read an archive that anybody may have made: nothing is unpacked to a disk, and all of it is bounded.

A file is read by its name in a fixed list, so that no name in an archive is ever a path.
"""

import hashlib
import re
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from ngxlab_contracts.sentences import say
from pydantic import BaseModel, ValidationError

from ngxlab.core import payload
from ngxlab.core.backup import BROKEN_ZIP
from ngxlab.core.errors import ApiError, Invalid
from ngxlab.core.signing import fingerprint, is_sound
from ngxlab.exports.archive import layout

MOST_DIRECTORY_BYTES = 64 << 10
"""Bounds the archive's directory, of which an entry has 46 bytes and its name."""
_END, _ZIP64_LOCATOR_BYTES = struct.Struct("<4s4H2LH"), 20
_END_MARK, _ZIP64_MARK = b"PK\x05\x06", b"PK\x06\x07"


def directory_problem(path: Path, files: int) -> str | None:
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
    return f"Its directory has more than {MOST_DIRECTORY_BYTES >> 10} KiB" if length > MOST_DIRECTORY_BYTES else None


MOST_BYTES = 256 << 20
"""Bounds the archive."""
MOST_UNPACKED = 4 << 30
MOST_RATIO, _ANY_RATIO = 200, 16 << 20
"""JSON deflates to a tenth or so; a bomb to a thousandth. What unpacks to so few bytes harms nobody."""
MOST_SECONDS = 300.0
"""Bounds the time to read it all, twice: whoever reads it cannot be stopped from outside."""
LONGEST_LINE, MOST_VALUES = 4 << 20, 100_000
"""Bound what a line becomes in memory: of a few bytes each, its values take some hundred."""
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_MOST_NAMED = 1_000
"""Errors of a line that are put into words, all to tell the first."""
_MOST_BYTES = layout.MOST_BYTES | {layout.MANIFEST: 64 << 10}
_NAMES = frozenset(_MOST_BYTES)
_ENCRYPTED = 0x1

_Model = TypeVar("_Model", bound=BaseModel)


class Archive:
    """Each function raises Invalid (code ``bad-archive``) with what is wrong, and where."""

    def __init__(self, path: Path) -> None:
        self._until = time.monotonic() + MOST_SECONDS
        if problem := directory_problem(path, len(_NAMES)):
            raise bad(problem)
        try:
            self._zip = ZipFile(path)
            self._entries = _sound_entries(self._zip.infolist())
        except BROKEN_ZIP as error:
            raise bad(f"It is no ZIP file that can be read: {_short(error)}") from None
        self.manifest = self._manifest()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    @property
    def unpacked_bytes(self) -> int:
        """The size of all its files, unpacked."""
        return sum(entry.file_size for entry in self._entries.values())

    @property
    def signed_by(self) -> str | None:
        """The fingerprint of the key that has signed it."""
        return fingerprint(self.manifest.signature.key) if self.manifest.signature is not None else None

    def verify(self) -> None:
        """Whether each file has the content that the manifest names."""
        for entry in self.manifest.files:
            found = hashlib.sha256()
            for piece in self._pieces(entry.name):
                found.update(piece)
            if self._entries[entry.name].file_size != entry.bytes or found.hexdigest() != entry.sha256:
                raise bad(f"{entry.name} is not the file that the manifest names")

    def document(self, name: str, model: type[_Model]) -> _Model:
        """The model in a file of one line."""
        lines = list(islice(self._lines(name), 2))
        if len(lines) != 1:
            raise bad(f"{name} has {'several lines' if lines else 'no line'} instead of one")
        found: _Model = _read(model.model_validate, name, 1, lines[0])
        return found

    def rows(self, name: str) -> Iterator[Any]:
        """The lines of a file, as :data:`layout.LINES` says."""
        return (row for _, row in self.sized_rows(name))

    def sized_rows(self, name: str) -> Iterator[tuple[int, Any]]:
        """Each with the bytes of its line."""
        model, parse = layout.LINES[name], _strictly
        validate: Callable[[Any], Any] = model.validate_python
        if name in layout.NUMBERS:  # of millions, and without texts that are not checked one by one
            parse, validate = _as_it_is, model.validate_json
        for number, text in enumerate(self._lines(name), start=1):
            yield len(text), _read(validate, name, number, text, parse)

    def _manifest(self) -> layout.Manifest:
        text = b"".join(self._pieces(layout.MANIFEST))
        manifest: layout.Manifest = _read(layout.Manifest.model_validate, layout.MANIFEST, 1, text)
        if manifest.signature is not None and not is_sound(manifest.signature, payload.parse(text)):
            raise bad("Its signature is not that of its content: somebody has changed it")
        names = [entry.name for entry in manifest.files]
        if sorted(names) != sorted(layout.CONTENT):
            raise bad("The manifest does not name each file once")
        return manifest

    def _lines(self, name: str) -> Iterator[bytes]:
        for line in self._whole_lines(name):
            if len(line) > LONGEST_LINE:
                raise bad(f"{name} has a line of more than {LONGEST_LINE >> 20} MiB")
            if _values(line) > MOST_VALUES and _values(_STRING.sub(b"", line)) > MOST_VALUES:
                raise bad(f"{name} has a line of more than {MOST_VALUES:,} values")
            yield line

    def _whole_lines(self, name: str) -> Iterator[bytes]:
        """As they are; of one that is too long, more than it may have."""
        rest = b""
        for piece in self._pieces(name):
            *whole, rest = (rest + piece).split(b"\n")
            yield from (line for line in whole if line)
            if len(rest) > LONGEST_LINE:
                break
        if rest:
            yield rest

    def _pieces(self, name: str) -> Iterator[bytes]:
        """Never more than the size that the directory states, whatever the file unpacks to."""
        left = self._entries[name].file_size
        try:
            with self._zip.open(self._entries[name]) as file:
                while piece := file.read(1 << 20):
                    left -= len(piece)
                    if time.monotonic() > self._until:
                        raise bad(f"It takes more than {MOST_SECONDS:g} s to read")
                    if left < 0:
                        raise bad(f"{name} is larger than it says")
                    yield piece
        except BROKEN_ZIP as error:
            raise bad(f"{name} cannot be unpacked: {_short(error)}") from None
        if left:
            raise bad(f"{name} is smaller than it says")


def _values(line: bytes) -> int:
    """At least as many as a line has."""
    return sum(map(line.count, (b",", b"[", b"{")))


def bad(detail: str) -> Invalid:
    return Invalid(say("This is not an archive of a run. {detail}.", detail=detail), code="bad-archive")


def _sound_entries(entries: list[ZipInfo]) -> dict[str, ZipInfo]:
    found = Counter(entry.filename for entry in entries)
    if found != Counter(_NAMES):
        odd = [name for name, times in found.items() if name not in _NAMES or times > 1]
        raise bad(f"It has the file {odd[0][:100]!r}" if odd else f"It lacks {min(_NAMES - set(found))}")
    for entry in entries:
        if entry.flag_bits & _ENCRYPTED or entry.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            raise bad(f"{entry.filename} is encrypted, or packed in another way than by deflate")
        if entry.file_size > max(1, entry.compress_size) * MOST_RATIO and entry.file_size > _ANY_RATIO:
            raise bad(f"{entry.filename} unpacks to more than {MOST_RATIO} times its size")
        if entry.file_size > (most := _MOST_BYTES[entry.filename]):
            raise bad(f"{entry.filename} unpacks to more than {most >> 10:,} KiB")
    if sum(entry.file_size for entry in entries) > MOST_UNPACKED:
        raise bad(f"It unpacks to more than {MOST_UNPACKED >> 30} GiB")
    return {entry.filename: entry for entry in entries}


def _as_it_is(text: bytes) -> Any:
    return text


def _strictly(text: bytes) -> Any:
    return payload.parse(text)


def _read(validate: Any, name: str, number: int, text: bytes, parse: Callable[[bytes], Any] = _strictly) -> Any:
    """One line as JSON, read as strictly as the body of a request."""
    try:
        return validate(parse(text))
    except ValidationError as error:
        if error.error_count() > _MOST_NAMED:
            raise bad(f"{name}, line {number}: {error.error_count():,} of its values are none of its form") from None
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise bad(f"{name}, line {number}: {where}: {first['msg']}"[:500]) from None
    except ApiError as error:
        raise bad(f"{name}, line {number}: {error.detail}"[:500]) from None


def _short(error: Exception) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
