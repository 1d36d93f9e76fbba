"""Frames in PostgreSQL's binary COPY format (its manual on COPY, "Binary Format"; array_send in its source).

A driver encodes an array value by value, which takes several times as long as the database needs to store it.
"""

import struct
from collections.abc import Iterable, Sequence
from uuid import UUID

import numpy as np
from ngxlab_contracts.telemetry import Frame

FRAME_COLUMNS = ("trial_id", "host_id", "layout", "t_us", "took_us", "live_seq", "values")

_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER = struct.pack(">h", -1)
_ROW = struct.Struct(">h i16s i16s ih iq ii iq i")
"""The number of fields, then each field's length and value, up to the length of the last field, the array."""
_ARRAY = struct.Struct(">iiIii")
"""Number of dimensions, whether there are nulls, the elements' type, the one dimension's length and lower bound."""
_NO_ELEMENTS = struct.Struct(">iiI")
_FLOAT8 = 701
_ELEMENT = np.dtype([("length", ">i4"), ("value", ">f8")])
_VALUE = struct.Struct(">id")
_NULL = struct.pack(">i", -1)


def frame_rows(trial_id: UUID, host_id: UUID, live_seq: int, frames: Iterable[Frame]) -> bytes:
    """A complete COPY of :data:`FRAME_COLUMNS`. Raises ``struct.error`` for a number that its column cannot hold."""
    return b"".join((_HEADER, *_rows(trial_id.bytes, host_id.bytes, live_seq, frames), _TRAILER))


def _rows(trial: bytes, host: bytes, live_seq: int, frames: Iterable[Frame]) -> Iterable[bytes]:
    for frame in frames:
        values = float8_array(frame.values)
        yield _ROW.pack(
            len(FRAME_COLUMNS), 16, trial, 16, host, 2, frame.layout, 8, frame.t_us, 4, frame.took_us, 8, live_seq,
            len(values),
        )  # fmt: skip
        yield values


def float8_array(values: Sequence[float | None]) -> bytes:
    """A ``double precision[]`` as the database receives it; ``None`` becomes NULL."""
    if not values:
        return _NO_ELEMENTS.pack(0, 0, _FLOAT8)
    with_nulls = None in values
    head = _ARRAY.pack(1, with_nulls, _FLOAT8, len(values), 1)
    if with_nulls:
        return head + b"".join(_NULL if value is None else _VALUE.pack(8, value) for value in values)
    elements = np.empty(len(values), _ELEMENT)
    elements["length"], elements["value"] = 8, values
    return head + elements.tobytes()
