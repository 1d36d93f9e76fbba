"""Successive readings of one collector, and the changes between them.

A derivation is written once and computes with single readings as well as with all of a stored trial at once: what it
combines are numbers or arrays of them, and what is missing or not known is NaN, which stays NaN in what is made of it.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple, Protocol

import numpy as np
from ngxlab_contracts.telemetry import Layout

Labels = Mapping[str, str]
Value = Any
"""A float, or an array with one for each reading."""
MISSING = float("nan")


class Reading(Protocol):
    """What a stored frame and a frame in a message have in common."""

    @property
    def layout(self) -> int: ...
    @property
    def t_us(self) -> int: ...
    @property
    def values(self) -> Sequence[float | None]: ...


class Line(NamedTuple):
    """The value of one line of one chart at a reading, without its time, or those at many readings."""

    key: str
    label: str
    value: Value


class Column(NamedTuple):
    position: int
    labels: Labels
    identity: tuple[str, tuple[tuple[str, str], ...]]


class LayoutView:
    """The columns of a layout by name, and by identity for a collector whose layout changes."""

    def __init__(self, layout: Layout) -> None:
        self.collector = layout.collector
        self.width = len(layout.series)
        self.columns: dict[str, list[Column]] = {}
        self.positions: dict[tuple[str, tuple[tuple[str, str], ...]], int] = {}
        for position, series in enumerate(layout.series):
            identity = (series.name, tuple(sorted(series.labels.items())))
            self.columns.setdefault(series.name, []).append(Column(position, series.labels, identity))
            self.positions[identity] = position
        self._matching: dict[tuple[str, tuple[tuple[str, str], ...]], list[Column]] = {}

    def every(self) -> Iterator[Column]:
        return (column for named in self.columns.values() for column in named)

    def matching(self, name: str, match: Labels) -> list[Column]:
        """The columns of this name that have these labels. Cached: every frame of a trial asks for the same columns."""
        wanted = (name, tuple(match.items()))
        columns = self._matching.get(wanted)
        if columns is None:
            named = self.columns.get(name, ())
            columns = [c for c in named if all(c.labels.get(key) == value for key, value in match.items())]
            self._matching[wanted] = columns
        return columns

    def asked_for(self) -> list[int]:
        """Positions of the columns that have been asked for, ascending."""
        return sorted({column.position for columns in self._matching.values() for column in columns})


class Read(NamedTuple):
    """A reading: values by position in its layout."""

    view: LayoutView
    t_us: int
    values: Sequence[float]

    def seen_by(self, view: LayoutView) -> Sequence[float]:
        """The values by position in another layout, as those before its own."""
        if view is self.view:
            return self.values
        found = [MISSING] * view.width
        for column in view.every():
            position = self.view.positions.get(column.identity)
            if position is not None:
                found[column.position] = self.values[position]
        return found


@dataclass(slots=True)
class Memory:
    """What derivations remember of a trial. PreviewProcess from it, a point depends on two successive readings only."""

    load_began_us: int | None = None
    descriptors_before_load: dict[str, float] = field(default_factory=dict)
    active_lines: set[tuple[str, str]] = field(default_factory=set)

    def since_active(self, key: str, label: str, value: Value) -> Value | None:
        """The value of a line from when it was other than zero for the first time; until then it is left out."""
        if (key, label) in self.active_lines:
            return value
        active: Value = abs(value) > 0
        if not (active.any() if isinstance(active, np.ndarray) else active):
            return None
        self.active_lines.add((key, label))
        return where(np.logical_or.accumulate(active), value) if isinstance(active, np.ndarray) else value

    def before_load(self, worker: str, descriptors: Value, t_us: Value) -> float:
        """The number that a worker had at the last reading before the load that was seen."""
        early = True if self.load_began_us is None else t_us < self.load_began_us
        seen = where(early, descriptors)
        if isinstance(seen, np.ndarray):
            seen = next(iter(seen[~np.isnan(seen)][-1:]), MISSING)
        if seen == seen:  # noqa: PLR0124 (not missing)
            self.descriptors_before_load[worker] = float(seen)
        return self.descriptors_before_load.get(worker, MISSING)


@dataclass(slots=True)
class Step:
    """The step from one reading to the next; or all such steps of successive readings of one layout.

    ``values`` and ``before``: by position in the layout, of the readings and of those before them. ``dt_s``: the time
    between, NaN where there is none.
    """

    view: LayoutView
    t_us: Value
    dt_s: Value
    values: Sequence[Value]
    before: Sequence[Value]
    memory: Memory

    def gauges(self, name: str, **match: str) -> Iterator[tuple[Labels, Value]]:
        for column in self.view.matching(name, match):
            yield column.labels, self.values[column.position]

    def gauge(self, name: str) -> Value:
        """The value of a column without labels."""
        return next((value for _, value in self.gauges(name)), MISSING)

    def changes(self, name: str, **match: str) -> Iterator[tuple[Labels, Value]]:
        """Signed differences."""
        for column in self.view.matching(name, match):
            yield column.labels, self.values[column.position] - self.before[column.position]

    def rates(self, name: str, **match: str) -> Iterator[tuple[Labels, Value]]:
        """Increases per second of the time between the readings; NaN also if the counter was reset."""
        for labels, change in self.changes(name, **match):
            yield labels, where(change >= 0, change / self.dt_s)

    def rate(self, name: str, **match: str) -> Value:
        """Sum of the matching rates; NaN if one of them is missing or there is none."""
        return total([rate for _, rate in self.rates(name, **match)])


Derivation = Callable[[Step], Iterator[Line]]


def where(condition: Value, value: Value) -> Value:
    """The value where this holds, else NaN."""
    if isinstance(condition, np.ndarray):
        return np.where(condition, value, MISSING)
    return value if condition else MISSING


def at_least_zero(value: Value) -> Value:
    if isinstance(value, np.ndarray):
        return np.where(value < 0, 0.0, value)
    return 0.0 if value < 0 else value


def share(part: Value, whole: Value) -> Value:
    """``part`` in percent of ``whole``, where there is any."""
    some = where(whole > 0, whole)
    return 100 * part / some


def total(values: Sequence[Value]) -> Value:
    """The sum; NaN if a value is missing or there is none: a partial sum would be too small."""
    # sum() compensates floats since Python 3.12: points that arrive would no longer be those that were stored.
    return reduce(operator.add, values) if values else MISSING
