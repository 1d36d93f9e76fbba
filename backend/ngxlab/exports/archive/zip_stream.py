"""A ZIP file written piece by piece, without a file."""

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_EPOCH = (1980, 1, 1, 0, 0, 0)


class _Sink(io.RawIOBase):
    """Collects what is written; it cannot seek, so sizes follow each file."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.parts.append(bytes(data))
        return len(data)


class Written:
    """A file of the archive while it is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.sha256, self.bytes = hashlib.sha256(), 0

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self.sha256.update(data)
        self.bytes += len(data)


class ZipStream:
    """After each write, :meth:`taken` has what can be sent."""

    def __init__(self) -> None:
        self._sink = _Sink()
        self._zip = ZipFile(self._sink, "w", ZIP_DEFLATED, compresslevel=6)

    @contextmanager
    def file(self, name: str) -> Iterator[Written]:
        """The same content makes the same bytes: all files have one date."""
        info = ZipInfo(name, _EPOCH)
        info.compress_type = ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        with self._zip.open(info, "w", force_zip64=True) as file:
            yield Written(file)

    def close(self) -> None:
        self._zip.close()

    def taken(self) -> bytes:
        parts, self._sink.parts = self._sink.parts, []
        return b"".join(parts)
