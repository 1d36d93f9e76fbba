"""Frames as PostgreSQL packs them (``array_send``), read into one matrix: a row costs no Python object.

Binary format of an array: ``src/backend/utils/adt/arrayfuncs.c``, ``array_send``. A header of five integers
(dimensions, flags, type, length, lower bound), then for each element its size and its value; a NULL has the size -1.
"""

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_HEADER_BYTES = 20
_ELEMENT_BYTES = 12
_INTEGER = struct.Struct(">i")
_NULL = -1


class PackedFrames(NamedTuple):
    """All frames of one layout of a host in a trial, in any order. ``values``: their packed arrays, in a row, of the
    frames that are no part of ``blocks`` (:mod:`ngxlab.metrics.blocks.readings`)."""

    layout: int
    t_us: NDArray[np.int64]
    values: bytes
    blocks: tuple[bytes, ...] = ()


class Unpacked(NamedTuple):
    """``values``: a row for each frame with the right number of values, NaN for NULL. ``is_null``: of the same shape.
    ``kept``: which frames these are."""

    values: NDArray[np.float64]
    is_null: NDArray[np.bool_]
    kept: NDArray[np.bool_]


def unpack(packed: bytes, count: int, width: int) -> Unpacked:
    """``count`` frames, whose layout has ``width`` columns."""
    if len(packed) == count * (_HEADER_BYTES + width * _ELEMENT_BYTES):
        rows = np.frombuffer(packed, _row_type(width))
        if (rows["header"][:, 3] == width).all() and (rows["cells"]["size"] != _NULL).all():
            values = rows["cells"]["value"].astype(np.float64)
            return Unpacked(values, np.zeros(values.shape, np.bool_), np.ones(count, np.bool_))
    return _unpack_slowly(packed, count, width)


def _row_type(width: int) -> np.dtype[np.void]:
    cell = np.dtype([("size", ">i4"), ("value", ">f8")])
    return np.dtype([("header", ">i4", (5,)), ("cells", cell, (width,))])


def _unpack_slowly(packed: bytes, count: int, width: int) -> Unpacked:
    """Frames with NULLs or with another number of values. Successive frames mostly have NULLs in the same columns."""
    values = np.full((count, width), np.nan)
    is_null = np.zeros((count, width), np.bool_)
    kept = np.zeros(count, np.bool_)
    at, present = 0, np.ones(width, np.bool_)
    for row in range(count):
        length = _length(packed, at)
        if length == width and width:
            present = _present(packed, at, present)
            cells = _cells(packed, at, present)
            values[row, present], is_null[row], kept[row] = cells, ~present, True
            at += _HEADER_BYTES + int(present.sum()) * 8 + width * 4
        else:
            at = _end(packed, at, length)
    return Unpacked(values[kept], is_null[kept], kept)


def _length(packed: bytes, at: int) -> int:
    dimensions = _INTEGER.unpack_from(packed, at)[0]
    return int(_INTEGER.unpack_from(packed, at + 12)[0]) if dimensions else 0


def _end(packed: bytes, at: int, length: int) -> int:
    at += _HEADER_BYTES if length else 12
    for _ in range(length):
        size = _INTEGER.unpack_from(packed, at)[0]
        at += 4 + max(0, size)
    return at


def _offsets(present: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The offset of each element's size, after the header."""
    sizes = np.where(present, _ELEMENT_BYTES, 4)
    return np.cumsum(sizes) - sizes


def _present(packed: bytes, at: int, guess: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which elements have a value: ``guess`` if the sizes say so, else as they are found one by one."""
    begin = at + _HEADER_BYTES
    end = begin + int(np.where(guess, _ELEMENT_BYTES, 4).sum())
    if end <= len(packed):
        content = np.frombuffer(packed, np.uint8, end - begin, begin)
        # The first element stands where it must; while all before it are as guessed, so does each next one.
        if ((content[_offsets(guess)] == 0xFF) == ~guess).all():
            return guess
    found, at = [], begin
    for _ in range(guess.size):
        size = _INTEGER.unpack_from(packed, at)[0]
        found.append(size != _NULL)
        at += 4 + max(0, size)
    return np.array(found, np.bool_)


def _cells(packed: bytes, at: int, present: NDArray[np.bool_]) -> NDArray[np.float64]:
    begin = at + _HEADER_BYTES
    content = np.frombuffer(packed, np.uint8, int(np.where(present, _ELEMENT_BYTES, 4).sum()), begin)
    where = (_offsets(present)[present] + 4)[:, None] + np.arange(8)
    cells: NDArray[np.float64] = content[where].reshape(-1).view(">f8").astype(np.float64)
    return cells
