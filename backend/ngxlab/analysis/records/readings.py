"""The readings of one layout as arrays. What every series of it asks of a window is worked out once for all of them."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
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


class FrameTable(NamedTuple):
    """The frames of one layout: ``t_us`` ascends, ``values`` has a row for each, NaN where there was no value."""

    t_us: NDArray[np.int64]
    values: NDArray[np.float64]


class Readings:
    """A table, and what was asked of it by window."""

    def __init__(self, table: FrameTable) -> None:
        self.t_us, self.values = table
        self._inside: dict[Window, slice] = {}
        self._gains: dict[Window, list[float]] = {}

    @cached_property
    def complete(self) -> list[bool]:
        """By column, whether every reading has a value."""
        missing = np.isnan(self.values).sum(axis=0)
        return [count == 0 for count in missing.tolist()]

    def inside(self, window: Window) -> slice:
        """The readings in the window, including those within ``EDGE_SLACK_US`` of its edges."""
        found = self._inside.get(window)
        if found is None:
            found = self._inside[window] = inside(self.t_us, window)
        return found

    def gains(self, window: Window) -> list[float]:
        """By column as :func:`gain`; NaN for a column with a reading that has no value."""
        found = self._gains.get(window)
        if found is None:
            columns = np.ascontiguousarray(self.values[self.inside(window)].T)
            found = self._gains[window] = gain(columns).tolist()
        return found


def gain(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a counter gained, along the last axis. A decrease is a reset: it has started again from zero."""
    steps = np.diff(values)
    gained: NDArray[np.float64] = np.where(steps < 0, values[..., 1:], steps).sum(axis=-1)
    return gained


def inside(t_us: NDArray[np.int64], window: Window) -> slice:
    """As :meth:`Readings.inside`."""
    first = int(t_us.searchsorted(window.start_us - EDGE_SLACK_US, side="left"))
    return slice(first, int(t_us.searchsorted(window.end_us + EDGE_SLACK_US, side="right")))


def tables_of(frames: Iterable[StoredFrame]) -> dict[int, FrameTable]:
    """Tables by layout."""
    by_layout: dict[int, list[StoredFrame]] = {}
    for frame in frames:
        by_layout.setdefault(frame.layout, []).append(frame)
    return {layout: _table(own) for layout, own in by_layout.items()}


def _table(frames: Sequence[StoredFrame]) -> FrameTable:
    t_us = np.array([frame.t_us for frame in frames], np.int64)
    values = np.array([frame.values for frame in frames], np.float64)
    return in_order(t_us, values)


def in_order(t_us: NDArray[np.int64], values: NDArray[np.float64]) -> FrameTable:
    """Makes a table of readings that come in any order."""
    if (t_us[1:] >= t_us[:-1]).all():
        return FrameTable(t_us, values)
    order = np.argsort(t_us, kind="stable")
    return FrameTable(t_us[order], values[order])
