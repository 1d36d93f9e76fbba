"""Columns, windows and counters."""

import math
from itertools import pairwise

import numpy as np
import pytest
from analysis import builders
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.analysis.records import StoredFrame
from ngxlab.analysis.records.raw_series import SeriesIndex
from ngxlab.analysis.records.readings import Window, tables_of
from ngxlab_contracts.telemetry import Layout, SeriesDef


def index_of(*values: float | None, step_s: float = 1.0) -> SeriesIndex:
    layout = Layout(id=0, collector="c", series=[SeriesDef(name="n", unit="1", kind="counter")])
    frames = [StoredFrame(0, round(i * step_s * 1e6), 1, [value]) for i, value in enumerate(values)]
    return SeriesIndex({0: layout}, tables_of(frames))


def test_increase_counts_the_gain_and_the_real_time() -> None:
    increase = index_of(10, 20, 40, 70).find("n")[0].increase(Window(1_000_000, 3_000_000))
    assert increase == (50.0, 2.0)


def test_increase_survives_a_reset() -> None:
    increase = index_of(100, 110, 3, 8).find("n")[0].increase(Window(0, 3_000_000))
    assert increase == (10 + 3 + 5, 3.0)


def test_increase_bridges_an_unreadable_value() -> None:
    increase = index_of(0, None, 20).find("n")[0].increase(Window(0, 2_000_000))
    assert increase == (20.0, 2.0)


@pytest.mark.parametrize("values", [(), (5,), (None, None, 7)])
def test_increase_is_unknown_with_fewer_than_two_readings(values: tuple[float | None, ...]) -> None:
    found = index_of(*values).find("n")
    assert not found or found[0].increase(Window(0, 10_000_000)) is None


def test_readings_outside_the_window_do_not_count() -> None:
    series = index_of(0, 1, 2, 1000, 2000).find("n")[0]
    assert series.median(Window(1_000_000, 2_000_000)) == 1.5
    assert series.last_before(3_000_000) == 2


def test_a_column_continues_across_a_change_of_layout() -> None:
    def layout(number: int, *workers: str) -> Layout:
        series = [SeriesDef(name="fds", labels={"index": worker}, unit="1", kind="gauge") for worker in workers]
        return Layout(id=number, collector="process", series=series)

    frames = [StoredFrame(0, 1, 1, [1.0, 2.0]), StoredFrame(1, 3, 1, [4.0]), StoredFrame(0, 2, 1, [None, 3.0])]
    index = SeriesIndex({0: layout(0, "0", "1"), 1: layout(1, "1")}, tables_of(frames))
    second = index.find("fds", index="1")[0]
    assert second.values.tolist() == [2.0, 3.0, 4.0]
    assert second.t_us.tolist() == [1, 2, 3]
    assert math.isnan(index.find("fds", index="0")[0].values[1])
    assert index.reading_times_us["process"].tolist() == [1, 2, 3]


_READINGS = st.lists(
    st.tuples(st.booleans(), *[st.one_of(st.none(), st.floats(0, 1e9, allow_subnormal=False)) for _ in range(2)]),
    max_size=40,
)


@given(_READINGS, st.integers(0, 20), st.integers(1, 40))
def test_the_increase_of_a_series_is_that_of_its_readings_one_by_one(
    readings: list[tuple[bool, float | None, float | None]], start_s: int, seconds: int
) -> None:
    """Whatever layout each reading has, to the last bit."""
    series = [SeriesDef(name="n", labels={"index": str(index)}, unit="1", kind="counter") for index in range(2)]
    layouts = {number: Layout(id=number, collector="c", series=series) for number in (0, 1)}
    frames = [
        StoredFrame(int(later), second * 1_000_000, 1, values) for second, (later, *values) in enumerate(readings)
    ]
    index, window = (
        SeriesIndex(layouts, tables_of(frames)),
        Window(start_s * 1_000_000, (start_s + seconds) * 1_000_000),
    )
    for one in index.find("n"):
        column = int(one.labels["index"])
        own = [(at, values[column]) for at, (_, *values) in enumerate(readings)]
        inside = [(at, value) for at, value in own if start_s <= at <= start_s + seconds and value is not None]
        gains = [new - old if new >= old else new for (_, old), (_, new) in pairwise(inside)]
        expected = (float(np.sum(gains)), float(inside[-1][0] - inside[0][0])) if len(inside) > 1 else None
        assert one.increase(window) == expected


def test_rate_sums_all_matching_columns() -> None:
    of = builders.spec()
    columns: builders.Columns = [
        ("cpu", {"role": "w", "mode": "user"}, builders.line(0.25)),
        ("cpu", {"role": "w", "mode": "system"}, builders.line(0.5)),
        ("cpu", {"role": "g", "mode": "user"}, builders.line(9)),
    ]
    record = builders.host(of, [builders.collector(of, columns)])
    assert record.window is not None
    assert record.series.rate(record.window, "cpu", role="w") == pytest.approx(0.75)
    assert record.series.rate(record.window, "cpu", role="absent") is None
