"""What is packed into blocks comes out as it went in, bit by bit."""

import base64
import math
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.analysis.statistics.histograms import Histogram
from ngxlab.metrics.blocks import histograms, readings
from ngxlab.metrics.blocks.histograms import StoredInterval
from ngxlab.metrics.blocks.readings import Readings
from ngxlab.metrics.damage import Damage
from ngxlab.metrics.packed_frames import PackedFrames
from ngxlab_contracts.telemetry import Layout, SeriesDef

_WHOLE = st.integers(-(2**63), 2**63 - 1)
_SECONDS = st.integers(0, 10**12).map(lambda ns: ns / 1e9)
_VALUE = st.one_of(st.none(), st.floats(width=64), st.integers(0, 2**60).map(float), _SECONDS)


@given(st.integers(0, 5), st.data())
def test_readings_keep_every_bit(width: int, data: st.DataObject) -> None:
    row = st.tuples(_WHOLE, _WHOLE, _WHOLE, st.lists(_VALUE, min_size=width, max_size=width))
    rows = data.draw(st.lists(row, min_size=1, max_size=8))
    values = np.array([[math.nan if v is None else v for v in row[3]] for row in rows], np.float64)
    is_null = np.array([[v is None for v in row[3]] for row in rows], np.bool_)
    t_us, took_us, live_seq = np.array([row[:3] for row in rows], np.int64).T
    shape = (len(rows), width)
    stored = Readings(t_us, took_us, live_seq, values.reshape(shape), is_null.reshape(shape))
    read = readings.decode(readings.encode(stored))
    for own, other in zip(stored[:3], read[:3], strict=True):
        assert own.tolist() == other.tolist()
    assert read.is_null.tolist() == stored.is_null.tolist()
    kept = ~stored.is_null
    assert (read.values.view(np.int64)[kept] == stored.values.view(np.int64)[kept]).all()
    assert np.isnan(read.values[stored.is_null]).all()


_STORED = "eJxjYmZgYADi/wwKDP8yl83KaOKUe8PGxMTEAMR/GBhCGXgVQLIgFEqIwQhmyC9QEK1nYAAAguETcA=="


def test_a_block_that_is_stored_somewhere_stays_readable() -> None:
    values = np.array([[1, 0.25, math.nan], [2, 0.5, -7], [2**40, 1 / 3, 9]])
    content = base64.b64decode(_STORED)
    for read in (readings.decode(content), readings.decode(readings.encode(readings.decode(content)))):
        assert [own.tolist() for own in read[:3]] == [[-5, 10, 2**52], [3, 4, 5], [1, 1, 2]]
        np.testing.assert_array_equal(read.values, values)
        assert read.is_null.tolist() == np.isnan(values).tolist()
    some = readings.decode(content, readings.Chosen(3, [2, 0]))
    np.testing.assert_array_equal(some.values, values[:, [2, 0]])


def _payload(*values_us: int) -> str:
    counts = np.bincount(values_us).astype(np.int64)
    return Histogram(3, counts).encode()


def _interval(second: int, histogram: str | None) -> StoredInterval:
    return StoredInterval("main", second * 1000, second * 1000 + 1000, 3, histogram, "latency", second)


def test_histograms_come_out_as_other_tools_wrote_them() -> None:
    stored = [_interval(second, _payload(5, 7, 7 + second)) for second in range(10)] + [_interval(10, None)]
    content = histograms.encode(stored)
    assert histograms.decode(content, level=6) == stored
    for read, own in zip(histograms.decode(content), stored, strict=True):
        assert read._replace(histogram=own.histogram) == own
        if own.histogram is not None and read.histogram is not None:
            assert Histogram.decode(read.histogram).counts.tolist() == Histogram.decode(own.histogram).counts.tolist()


@pytest.mark.parametrize("payload", ["", "no base64!", base64.b64encode(b"12345678" + b"no zlib").decode(), "AAAA"])
def test_a_payload_that_is_none_is_kept_as_it_is(payload: str) -> None:
    assert histograms.decode(histograms.encode([_interval(1, payload)])) == [_interval(1, payload)]


@pytest.mark.parametrize(
    "content", [b"", b"x", zlib.compress(b""), zlib.compress(b"\x02" + bytes(40)), zlib.compress(b"\x03" + bytes(40))]
)
def test_a_damaged_block_is_named_and_costs_itself_alone(content: bytes) -> None:
    one = np.ones(1, np.int64)
    sound = readings.encode(Readings(one, one, one, np.ones((1, 1)), np.zeros((1, 1), np.bool_)))
    layout = Layout(id=0, collector="cpu", series=[SeriesDef(name="a", unit="s", kind="gauge")])
    damage = Damage()
    table = damage.table(PackedFrames(0, np.zeros(0, np.int64), b"", (content, sound)), {0: layout})
    assert table is not None
    assert table.t_us.tolist() == [1]
    assert damage.all_intervals([_interval(1, None)], [content]) == [_interval(1, None)]
    assert len(damage.notes()) == 2
