"""Raw series over time: the frames of one host as arrays, one for each name and set of labels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.telemetry import Layout
from numpy.typing import NDArray

EDGE_SLACK_US = 50_000
"""A reading this close to an edge of the window still belongs to it: sampling is not aligned with phase events."""


class StoredFrame(NamedTuple):
    """One reading of one collector as stored. ``values`` follow the layout; ``None`` could not be read."""

    layout: int
    t_us: int
    took_us: int
    values: Sequence[float | None]


class Window(NamedTuple):
    """``[start_us, end_us)`` on one host's clock."""

    start_us: int
    end_us: int

    @property
    def seconds(self) -> float:
        return (self.end_us - self.start_us) / 1e6


class Increase(NamedTuple):
    """The increase of a counter between its first and last reading in a window, and the time between these two."""

    amount: float
    seconds: float

    @property
    def per_second(self) -> float:
        return self.amount / self.seconds


@dataclass(frozen=True, slots=True)
class RawSeries:
    """One series. ``values`` is NaN where a reading had no value; ``t_us`` ascends."""

    name: str
    labels: Mapping[str, str]
    collector: str
    t_us: NDArray[np.int64]
    values: NDArray[np.float64]

    def within(self, window: Window) -> "RawSeries":
        """Readings with a value in the window, including those within ``EDGE_SLACK_US`` of its edges."""
        inside = _inside(self.t_us, window)
        t_us, values = self.t_us[inside], self.values[inside]
        valid = ~np.isnan(values)
        return RawSeries(self.name, self.labels, self.collector, t_us[valid], values[valid])

    def increase(self, window: Window) -> Increase | None:
        """A counter's increase in the window. A decrease is a reset: the counter has started again from zero.

        ``None`` with fewer than two readings.
        """
        inside = self.within(window)
        if inside.t_us.size < 2 or inside.t_us[-1] == inside.t_us[0]:
            return None
        steps = np.diff(inside.values)
        gains = np.where(steps < 0, inside.values[1:], steps)
        return Increase(float(gains.sum()), float(inside.t_us[-1] - inside.t_us[0]) / 1e6)

    def median(self, window: Window) -> float | None:
        inside = self.within(window)
        return float(np.median(inside.values)) if inside.values.size else None

    def maximum(self, window: Window) -> float | None:
        inside = self.within(window)
        return float(inside.values.max()) if inside.values.size else None

    def last_before(self, t_us: int) -> float | None:
        """The last value strictly before ``t_us``."""
        earlier = self.values[: int(np.searchsorted(self.t_us, t_us, side="left"))]
        valid = earlier[~np.isnan(earlier)]
        return float(valid[-1]) if valid.size else None


class FrameTable(NamedTuple):
    """The frames of one layout: ``t_us`` ascends, ``values`` has a row for each, NaN where there was no value."""

    t_us: NDArray[np.int64]
    values: NDArray[np.float64]


def tables_of(frames: Iterable[StoredFrame]) -> dict[int, FrameTable]:
    """By layout."""
    by_layout: dict[int, list[StoredFrame]] = {}
    for frame in frames:
        by_layout.setdefault(frame.layout, []).append(frame)
    return {layout: _table(own) for layout, own in by_layout.items()}


def _table(frames: Sequence[StoredFrame]) -> FrameTable:
    t_us = np.array([frame.t_us for frame in frames], np.int64)
    values = np.array([frame.values for frame in frames], np.float64)
    order = np.argsort(t_us, kind="stable")
    return FrameTable(t_us[order], values[order])


class SeriesIndex:
    """All series of a host's frames, by name and labels. A series continues across a change of layout."""

    def __init__(self, layouts: Mapping[int, Layout], tables: Mapping[int, FrameTable]) -> None:
        self._columns: dict[str, list[_Column]] = {}
        self._found: dict[str, list[RawSeries]] = {}
        times: dict[str, list[NDArray[np.int64]]] = {}
        for layout_id, table in tables.items():
            layout = layouts[layout_id]
            times.setdefault(layout.collector, []).append(table.t_us)
            for position, series in enumerate(layout.series):
                self._columns.setdefault(series.name, []).append((table, position, series.labels, layout.collector))
        self.reading_times_us = {name: np.sort(np.concatenate(every)) for name, every in times.items()}
        """Collector -> times of its frames, ascending."""

    def find(self, name: str, **labels: str) -> list[RawSeries]:
        """Series of this name that have all of ``labels``, in the order of their first layout."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = _series(name, self._columns.get(name, []))
        return [series for series in found if labels.items() <= series.labels.items()]

    def rate(self, window: Window, name: str, **labels: str) -> float | None:
        """Sum of the increases per second of all matching series; ``None`` if none has two readings.

        The rate is over the time between the first and last reading of the collector: a process that existed for half
        of the window counts half. A value that could not be read at the window's edge does not lower the rate.
        """
        rates = [rate for series in self.find(name, **labels) if (rate := self._rate(window, series)) is not None]
        return sum(rates) if rates else None

    def _rate(self, window: Window, series: RawSeries) -> float | None:
        increase = series.increase(window)
        if increase is None:
            return None
        read_us = self.reading_times_us[series.collector]
        return increase.per_second * _span_us(series.t_us, window) / _span_us(read_us, window)


_Column = tuple[FrameTable, int, Mapping[str, str], str]
"""A table, the position in it, labels, and the collector. A run has tens of thousands."""


def _series(name: str, columns: Sequence[_Column]) -> list[RawSeries]:
    """One for each set of labels."""
    alike: dict[frozenset[tuple[str, str]], list[_Column]] = {}
    for column in columns:
        alike.setdefault(frozenset(column[2].items()), []).append(column)
    return [_joined(name, own) for own in alike.values()]


def _joined(name: str, own: Sequence[_Column]) -> RawSeries:
    table, position, labels, collector = own[-1]
    if len(own) == 1:
        return RawSeries(name, labels, collector, table.t_us, table.values[:, position])
    t_us = np.concatenate([table.t_us for table, *_ in own])
    values = np.concatenate([table.values[:, position] for table, position, *_ in own])
    order = np.argsort(t_us, kind="stable")
    return RawSeries(name, labels, collector, t_us[order], values[order])


def _inside(t_us: NDArray[np.int64], window: Window) -> slice:
    first = int(np.searchsorted(t_us, window.start_us - EDGE_SLACK_US, side="left"))
    return slice(first, int(np.searchsorted(t_us, window.end_us + EDGE_SLACK_US, side="right")))


def _span_us(t_us: NDArray[np.int64], window: Window) -> int:
    inside = t_us[_inside(t_us, window)]
    return int(inside[-1] - inside[0])
