"""Read a base64 HdrHistogram V2 payload: counts as ZigZag LEB128 numbers, a negative one for that many zeros.

Format: https://github.com/HdrHistogram/HdrHistogram (``encodeIntoByteBuffer``). A run has thousands of histograms, so
each is read with a few operations on arrays, and keeps only the indexes that have a count.
"""

import base64
import struct
import zlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

MAX_UNPACKED_BYTES = 4 << 20
_WRAPPER = struct.Struct(">ii")
"""Cookie and length, before the compressed counts."""
_HEADER = struct.Struct(">iiiiqqd")
"""Cookie, length, offset, significant figures, lowest and highest value, conversion ratio."""
_COMPRESSED_COOKIE, _COOKIE, _WORD_SIZE = 0x1C849304, 0x1C849303, 0xF0
_HIGHEST_US = 2**50
_LONGEST_NUMBER = 8
"""Bytes: 56 bits. More than any count of ours needs."""


@dataclass(frozen=True, slots=True)
class Filled:
    """The counts above zero, and their indexes, ascending."""

    significant_figures: int
    index: NDArray[np.int64]
    count: NDArray[np.int64]


@lru_cache(maxsize=4096)
def filled(payload: str) -> Filled:
    """Raises ValueError for what is no such payload, and for units other than 1 us.

    A short text can expand to gigabytes, so it is unpacked within bounds.
    """
    packed = base64.b64decode(payload, validate=True)
    if len(packed) < _WRAPPER.size or not _is(packed, _COMPRESSED_COOKIE):
        raise ValueError("it is no compressed histogram of version 2")
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(packed[_WRAPPER.size :], MAX_UNPACKED_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacker.eof or len(unpacked) < _HEADER.size:
        raise ValueError(f"it unpacks to fewer than {_HEADER.size} bytes or to more than {MAX_UNPACKED_BYTES}")
    if not _is(unpacked, _COOKIE):
        raise ValueError("it unpacks to no histogram of version 2")
    _, length, offset, figures, lowest, highest, _ = _HEADER.unpack_from(unpacked)
    if offset != 0 or lowest != 1 or not 2 <= highest <= _HIGHEST_US or not 1 <= figures <= 5:
        raise ValueError("its precision or range is not one that agents use")
    if length < 0 or length != len(unpacked) - _HEADER.size:
        raise ValueError("its length is not the one that it states")
    index, count = _counts(np.frombuffer(unpacked, np.uint8, offset=_HEADER.size))
    if index.size and int(index[-1]) >= _size(figures, highest):
        raise ValueError("it has counts above its highest value")
    return Filled(figures, index, count)


def _is(content: bytes, cookie: int) -> bool:
    found: int = struct.unpack_from(">i", content)[0]
    return found & ~_WORD_SIZE == cookie


def _counts(content: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indexes and counts. Negative counts, which no histogram has, cannot be told from zeros: the total shows them."""
    if not content.size:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    ends = np.flatnonzero(content < 0x80)
    if not ends.size or ends[-1] != content.size - 1:
        raise ValueError("its last number is cut off")
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    if lengths.max() > _LONGEST_NUMBER:
        raise ValueError("it holds a number that is too large")
    places = np.arange(content.size) - np.repeat(starts, lengths)
    parts = (content & 0x7F).astype(np.int64) << (7 * places)
    coded = np.add.reduceat(parts, starts)
    values = (coded >> 1) ^ -(coded & 1)
    steps = np.where(values < 0, -values, 1)
    above = values > 0
    return (np.cumsum(steps) - steps)[above], values[above]


def _size(figures: int, highest: int) -> int:
    """The number of indexes of a histogram up to ``highest``."""
    half: int = 1 << ((2 * 10**figures - 1).bit_length() - 1)
    reach, buckets = 2 * half, 1
    while reach <= highest:
        reach, buckets = reach << 1, buckets + 1
    return (buckets + 1) * half
