"""Frames as PostgreSQL packs them are read as they are, NULLs and wrong widths included."""

import math
import struct
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.metrics.damage import Damage
from ngxlab.metrics.packed_frames import PackedFrames, unpack
from ngxlab_contracts.telemetry import Layout, SeriesDef

_FLOAT8_OID = 701
_Row = list[float | None]
_VALUES = st.one_of(st.none(), st.floats(width=64, allow_nan=True))


def _packed(row: Sequence[float | None]) -> bytes:
    """As ``array_send`` of PostgreSQL: an empty array has no dimension."""
    flags = int(any(value is None for value in row))
    if not row:
        return struct.pack(">iii", 0, flags, _FLOAT8_OID)
    cells = (struct.pack(">i", -1) if value is None else struct.pack(">id", 8, value) for value in row)
    return struct.pack(">iiiii", 1, flags, _FLOAT8_OID, len(row), 1) + b"".join(cells)


@given(st.integers(1, 6), st.data())
def test_each_frame_keeps_its_values_and_its_nulls(width: int, data: st.DataObject) -> None:
    row = st.lists(_VALUES, min_size=width, max_size=width)
    rows: list[_Row] = data.draw(st.lists(row, max_size=8))
    values, is_null, kept = unpack(b"".join(map(_packed, rows)), len(rows), width)
    assert kept.all()
    assert values.shape == is_null.shape == (len(rows), width)
    for read, nulls, sent in zip(values, is_null, rows, strict=True):
        assert nulls.tolist() == [value is None for value in sent]
        for one, other in zip(read.tolist(), sent, strict=True):
            assert one == other or (math.isnan(one) and (other is None or math.isnan(other)))


@given(st.lists(st.lists(_VALUES, max_size=4), min_size=1, max_size=8))
def test_frames_of_another_width_are_left_out(rows: list[_Row]) -> None:
    values, _, kept = unpack(b"".join(map(_packed, rows)), len(rows), 2)
    assert kept.tolist() == [len(row) == 2 for row in rows]
    assert len(values) == sum(kept)


@given(st.permutations(range(6)), st.lists(_VALUES, min_size=6, max_size=6))
def test_readings_are_in_order_of_time_in_whichever_order_they_are_read(order: list[int], values: _Row) -> None:
    layout = Layout(id=0, collector="cpu", series=[SeriesDef(name="a", unit="s", kind="gauge")])
    rows = b"".join(_packed([values[at]]) for at in order)
    damage = Damage()
    table = damage.table(PackedFrames(0, np.array(order, np.int64), rows), {0: layout})
    assert table is not None
    assert table.t_us.tolist() == list(range(6))
    for read, stored in zip(table.values[:, 0].tolist(), values, strict=True):
        assert read == stored or math.isnan(read)
