"""Raw series over time: the frames of one host as arrays, one for each name and set of labels."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.telemetry import Layout
from numpy.typing import NDArray

from ngxlab.analysis.records.readings import FrameTable, Readings, Window, gain, inside


class Increase(NamedTuple):
    """The increase of a counter between its first and last reading in a window, and the time between these two."""

    amount: float
    seconds: float

    @property
    def per_second(self) -> float:
        return self.amount / self.seconds


class Column(NamedTuple):
    """A column of the readings of one layout."""

    readings: Readings
    position: int


@dataclass(frozen=True)
class RawSeries:
    """One series, of one layout or of several. ``values`` is NaN where a reading had no value; ``t_us`` ascends."""

    name: str
    labels: Mapping[str, str]
    collector: str
    columns: Sequence[Column]
    _increases: dict[Window, Increase | None] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def t_us(self) -> NDArray[np.int64]:
        return self._joined.t_us

    @cached_property
    def values(self) -> NDArray[np.float64]:
        return self._joined.values

    def within(self, window: Window) -> FrameTable:
        """Readings with a value in the window, including those within ``EDGE_SLACK_US`` of its edges."""
        own = self._columns_within(window)
        if len(own) == 1:
            readings, position = own[0]
            there = readings.inside(window)
            t_us, values = readings.t_us[there], readings.values[there, position]
            if readings.complete[position]:
                return FrameTable(t_us, values)
        else:
            there = inside(self.t_us, window)
            t_us, values = self.t_us[there], self.values[there]
        valid = ~np.isnan(values)
        return FrameTable(t_us[valid], values[valid])

    def increase(self, window: Window) -> Increase | None:
        """A counter's increase in the window. A decrease is a reset: the counter has started again from zero.

        ``None`` with fewer than two readings.
        """
        if window not in self._increases:
            self._increases[window] = self._increase(window)
        return self._increases[window]

    def _increase(self, window: Window) -> Increase | None:
        own = self._columns_within(window)
        if len(own) == 1:
            readings, position = own[0]
            amount = readings.gains(window)[position]
            if not math.isnan(amount):
                return _increase(readings.t_us[readings.inside(window)], amount)
        t_us, values = self.within(window)
        return _increase(t_us, float(gain(values)))

    def median(self, window: Window) -> float | None:
        values = self.within(window).values
        return float(np.median(values)) if values.size else None

    def maximum(self, window: Window) -> float | None:
        values = self.within(window).values
        return float(values.max()) if values.size else None

    def last_before(self, t_us: int) -> float | None:
        """The last value strictly before ``t_us``."""
        earlier = self.values[: int(self.t_us.searchsorted(t_us, side="left"))]
        valid = earlier[~np.isnan(earlier)]
        return float(valid[-1]) if valid.size else None

    def span_us(self, window: Window) -> int:
        """Between the first and the last reading in the window, with a value or without."""
        read = [one.readings.t_us[one.readings.inside(window)] for one in self._columns_within(window)]
        return int(max(t_us[-1] for t_us in read) - min(t_us[0] for t_us in read))

    def _columns_within(self, window: Window) -> Sequence[Column]:
        """Columns with a reading in the window: layouts follow one another, so that it is mostly one."""
        bounds = [column.readings.inside(window) for column in self.columns]
        if len(bounds) == 1 and bounds[0].stop > bounds[0].start:
            return self.columns
        return [column for column, there in zip(self.columns, bounds, strict=True) if there.stop > there.start]

    @cached_property
    def _joined(self) -> FrameTable:
        if len(self.columns) == 1:
            readings, position = self.columns[0]
            return FrameTable(readings.t_us, readings.values[:, position])
        t_us = np.concatenate([readings.t_us for readings, _ in self.columns])
        values = np.concatenate([readings.values[:, position] for readings, position in self.columns])
        order = np.argsort(t_us, kind="stable")
        return FrameTable(t_us[order], values[order])


class SeriesIndex:
    """All series of a host's frames, by name and labels. A series continues across a change of layout."""

    def __init__(self, layouts: Mapping[int, Layout], tables: Mapping[int, FrameTable]) -> None:
        self._readings = [(layouts[layout_id], Readings(table)) for layout_id, table in tables.items()]
        self._named: dict[str, list[RawSeries]] = {}
        self._found: dict[tuple[str, frozenset[tuple[str, str]]], list[RawSeries]] = {}
        self._spans_us: dict[tuple[str, Window], int] = {}
        times: dict[str, list[NDArray[np.int64]]] = {}
        for layout, readings in self._readings:
            times.setdefault(layout.collector, []).append(readings.t_us)
        self.reading_times_us = {name: np.sort(np.concatenate(every)) for name, every in times.items()}
        """Collector -> times of its frames, ascending."""

    def find(self, name: str, **labels: str) -> list[RawSeries]:
        """Series of this name that have all of ``labels``, in the order of their first layout."""
        key = (name, frozenset(labels.items()))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = [one for one in self._all(name) if labels.items() <= one.labels.items()]
        return list(found)

    def _all(self, name: str) -> list[RawSeries]:
        """One for each set of labels."""
        if name not in self._named:
            alike: dict[frozenset[tuple[str, str]], list[Column]] = {}
            collector = ""
            for layout, readings in self._readings:
                for position, labels in layout.columns.get(name, ()):
                    alike.setdefault(labels, []).append(Column(readings, position))
                    collector = layout.collector
            self._named[name] = [RawSeries(name, dict(labels), collector, own) for labels, own in alike.items()]
        return self._named[name]

    def rate(self, window: Window, name: str, **labels: str) -> float | None:
        """Sum of the increases per second of all matching series; ``None`` if none has two readings.

        The rate is over the time between the first and last reading of the collector: a process that existed for half
        of the window counts half. A value that could not be read at the window's edge does not lower the rate.
        """
        rates = [rate for series in self.find(name, **labels) if (rate := self._rate(window, series)) is not None]
        return math.fsum(rates) if rates else None

    def _rate(self, window: Window, series: RawSeries) -> float | None:
        increase = series.increase(window)
        if increase is None:
            return None
        return increase.per_second * series.span_us(window) / self._span_us(series.collector, window)

    def _span_us(self, collector: str, window: Window) -> int:
        """Between the first and the last reading of a collector in the window."""
        if (collector, window) not in self._spans_us:
            read_us = self.reading_times_us[collector]
            read_us = read_us[inside(read_us, window)]
            self._spans_us[collector, window] = int(read_us[-1] - read_us[0])
        return self._spans_us[collector, window]


def _increase(t_us: NDArray[np.int64], amount: float) -> Increase | None:
    if t_us.size < 2 or t_us[-1] == t_us[0]:
        return None
    return Increase(amount, float(t_us[-1] - t_us[0]) / 1e6)
