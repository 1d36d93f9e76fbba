"""All points of a stored trial's lines at once: derivations compute with arrays of readings, not reading by reading."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.telemetry import Layout
from numpy.typing import NDArray

from ngxlab.analysis.records.readings import FrameTable
from ngxlab.analysis.series.catalogue import derivations_for
from ngxlab.analysis.series.derivations.step import MISSING, LayoutView, Memory, Read, Step
from ngxlab.analysis.series.downsampling import Points

GAP_FACTOR = 2.5
"""Readings that are more than this many intervals apart have a gap between them."""
LineName = tuple[str, str]
"""The key, and the label as derivations name it."""


class Stretch(NamedTuple):
    """A line's values at successive readings of a layout; ``previous_us``: when the reading before each one was.
    ``number``: of all stretches, in the order in which they were derived."""

    number: int
    t_us: NDArray[np.int64]
    previous_us: NDArray[np.int64]
    values: NDArray[np.float64]


class Clock(NamedTuple):
    """Times by a host's clock: the start of the measured window and of the load; and the time between readings."""

    origin_us: int
    began_us: int
    interval_us: int


class Course(NamedTuple):
    """A line. ``place``: lines are in the order of the readings, and of what was made of these first."""

    place: tuple[int, int]
    points: Points


def stretches(
    layouts: Mapping[int, Layout], tables: Mapping[int, FrameTable], keys: Collection[str] | None, memory: Memory
) -> Iterator[tuple[LineName, Stretch]]:
    """Stretches of all lines, each line's in order of time. Raises KeyError for readings of an unknown layout."""
    by_collector: dict[str, list[tuple[LayoutView, FrameTable]]] = {}
    numbers = count()
    for layout_id, table in tables.items():
        view = LayoutView(layouts[layout_id])
        by_collector.setdefault(view.collector, []).append((view, table))
    for own in by_collector.values():
        last: Read | None = None
        for view, (t_us, values) in _runs(own):
            before_us = np.concatenate([t_us[:1] if last is None else [last.t_us], t_us[:-1]])
            step = _step(view, FrameTable(t_us, values), before_us, last, memory)
            for derive in derivations_for(view, keys):
                for key, label, value in derive(step):
                    yield (key, label), Stretch(next(numbers), t_us, before_us, np.broadcast_to(value, t_us.shape))
            last = Read(view, int(t_us[-1]), values[-1].tolist())


def _runs(tables: Sequence[tuple[LayoutView, FrameTable]]) -> Iterator[tuple[LayoutView, FrameTable]]:
    """The readings of one collector in order of time, as long as its layout stays the same."""
    t_us = np.concatenate([table.t_us for _, table in tables])
    sizes = [table.t_us.size for _, table in tables]
    of, row = np.repeat(np.arange(len(tables)), sizes), np.concatenate([np.arange(size) for size in sizes])
    order = np.argsort(t_us, kind="stable")
    for run in np.split(order, np.flatnonzero(np.diff(of[order])) + 1):
        if run.size:
            view, table = tables[of[run[0]]]
            rows = slice(row[run[0]], row[run[-1]] + 1)
            yield view, FrameTable(table.t_us[rows], table.values[rows])


def _step(view: LayoutView, table: FrameTable, before_us: NDArray[np.int64], last: Read | None, memory: Memory) -> Step:
    columns = np.ascontiguousarray(table.values.T)
    before = np.empty_like(columns)
    before[:, 1:] = columns[:, :-1]
    before[:, 0] = MISSING if last is None else last.seen_by(view)
    step_us = table.t_us - before_us
    dt_s = np.where(step_us > 0, step_us, MISSING) / 1e6
    return Step(view, table.t_us, dt_s, list(columns), list(before), memory)


def course(parts: Sequence[Stretch], clock: Clock, within: tuple[float, float] | None) -> Course | None:
    """A line with its gaps, from its first value after the load began; ``None`` without any point ``within``."""
    t_us, previous_us, values = map(np.concatenate, zip(*(part[1:] for part in parts), strict=True))
    order = np.argsort(t_us, kind="stable")
    t_us, previous_us, values = t_us[order], previous_us[order], values[order]
    gaps = np.flatnonzero(t_us - previous_us > GAP_FACTOR * clock.interval_us)
    shown_us = np.insert(t_us, gaps, previous_us[gaps] + clock.interval_us)
    read_us, values = np.insert(t_us, gaps, t_us[gaps]), np.insert(values, gaps, MISSING)
    t_s = (shown_us - clock.origin_us) / 1e6
    loaded = shown_us >= clock.began_us
    there = loaded & np.logical_or.accumulate(loaded & ~np.isnan(values))  # a line does not start with a gap
    if within is not None:
        there &= (t_s >= within[0]) & (t_s <= within[1])
    if not there.any():
        return None
    first_us = int(read_us[there][0])
    number = next(part.number for part in parts if part.t_us[-1] >= first_us)
    return Course((first_us, number), Points(t_s[there], values[there]))
