"""Many latency intervals of a host as bytes, and back.

Payloads are unpacked and compressed together: counts of neighbours are much alike, which bzip2 uses better than zlib.
"""

import base64
import bz2
import json
import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

_WRAPPER_BYTES = 8
"""Cookie and length, before the compressed counts: see ``ngxlab.analysis.statistics.hdr_payload``."""
_LENGTH = struct.Struct("<I")
_MAX_BYTES = 1 << 28


class StoredInterval(NamedTuple):
    """As the table has it. ``histogram``: a base64 payload."""

    stream: str
    t0_us: int
    t1_us: int
    count: int  # type: ignore[assignment]  # as the column is named; no tuple's method is called here
    histogram: str | None
    quantity: str
    live_seq: int


def encode(intervals: Sequence[StoredInterval]) -> bytes:
    """Payloads that cannot be unpacked are kept as they are."""
    opened = [_opened(interval.histogram) for interval in intervals]
    facts = [
        [*interval[:4], None if raw is None else [len(raw), head.hex()], *interval[5:]]
        for interval, (head, raw) in zip(intervals, opened, strict=True)
    ]
    about = json.dumps(facts, separators=(",", ":")).encode()
    return bz2.compress(b"".join([_LENGTH.pack(len(about)), about, *(raw for _, raw in opened if raw is not None)]))


def decode(content: bytes, *, level: int = 0) -> list[StoredInterval]:
    """``level``: how well payloads are compressed again. For who only reads them here, not at all; any tool reads them
    in either case. Raises ValueError for what is no such block."""
    unpacked = _unpacked(content)
    begin = _LENGTH.size + _LENGTH.unpack_from(unpacked)[0]
    intervals = []
    for stream, t0_us, t1_us, count, kept, quantity, live_seq in json.loads(unpacked[_LENGTH.size : begin]):
        histogram = None
        if kept is not None:
            end = begin + kept[0]
            histogram = _closed(bytes.fromhex(kept[1]), unpacked[begin:end], level)
            begin = end
        intervals.append(StoredInterval(stream, t0_us, t1_us, count, histogram, quantity, live_seq))
    return intervals


def _unpacked(content: bytes) -> bytes:
    unpacker = bz2.BZ2Decompressor()
    try:
        unpacked = unpacker.decompress(content, _MAX_BYTES)
    except OSError as error:
        raise ValueError(str(error)) from error
    if not unpacker.eof or len(unpacked) < _LENGTH.size:
        raise ValueError("it is cut off or too large")
    return unpacked


def _opened(payload: str | None) -> tuple[bytes, bytes | None]:
    """The cookie, and what it stands before; without a cookie, the text itself."""
    if payload is None:
        return b"", None
    try:
        packed = base64.b64decode(payload, validate=True)
        unpacker = zlib.decompressobj()
        raw = unpacker.decompress(packed[_WRAPPER_BYTES:], _MAX_BYTES)
        sound = unpacker.eof and not unpacker.unused_data and len(packed) > _WRAPPER_BYTES
    except (ValueError, zlib.error):
        sound, packed, raw = False, b"", b""
    return (packed[:4], raw) if sound else (b"", payload.encode())


def _closed(cookie: bytes, raw: bytes, level: int) -> str:
    if not cookie:
        return raw.decode()
    packed = zlib.compress(raw, level)
    return base64.b64encode(cookie + struct.pack(">i", len(packed)) + packed).decode()
