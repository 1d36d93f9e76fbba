"""Two successive readings of one collector, and the changes between them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ngxlab_contracts.telemetry import Layout

from ngxlab.analysis.summary.totals import total

Labels = Mapping[str, str]


class Reading(Protocol):
    """What a stored frame and a frame in a message have in common."""

    @property
    def layout(self) -> int: ...
    @property
    def t_us(self) -> int: ...
    @property
    def values(self) -> Sequence[float | None]: ...


class Line(NamedTuple):
    """One value of one line of one chart, without its time."""

    key: str
    label: str
    value: float | None


class Column(NamedTuple):
    position: int
    labels: Labels
    identity: tuple[str, tuple[tuple[str, str], ...]]


class LayoutView:
    """The columns of a layout by name, and by identity for a collector whose layout changes."""

    def __init__(self, layout: Layout) -> None:
        self.collector = layout.collector
        self.columns: dict[str, list[Column]] = {}
        self.positions: dict[tuple[str, tuple[tuple[str, str], ...]], int] = {}
        for position, series in enumerate(layout.series):
            identity = (series.name, tuple(sorted(series.labels.items())))
            self.columns.setdefault(series.name, []).append(Column(position, series.labels, identity))
            self.positions[identity] = position
        self._matching: dict[tuple[str, tuple[tuple[str, str], ...]], list[Column]] = {}

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


@dataclass(slots=True)
class Memory:
    """What derivations remember of a trial. Apart from it, a point depends on two successive readings only."""

    load_began_us: int | None = None
    descriptors_before_load: dict[str, float] = field(default_factory=dict)
    active_lines: set[tuple[str, str]] = field(default_factory=set)

    def appeared(self, key: str, label: str, value: float | None) -> bool:
        """Whether this line has ever had a value other than zero; it is left out until then."""
        if value:
            self.active_lines.add((key, label))
        return (key, label) in self.active_lines


@dataclass(slots=True)
class Step:
    """``previous`` is ``None`` at the first reading, which has no rates."""

    view: LayoutView
    current: Reading
    previous_view: LayoutView | None
    previous: Reading | None
    memory: Memory

    @property
    def dt_s(self) -> float | None:
        if self.previous is None or self.current.t_us <= self.previous.t_us:
            return None
        return (self.current.t_us - self.previous.t_us) / 1e6

    def gauges(self, name: str, **match: str) -> Iterator[tuple[Labels, float | None]]:
        values = self.current.values
        for column in self.view.matching(name, match):
            yield column.labels, values[column.position]

    def gauge(self, name: str) -> float | None:
        """The value of a column without labels."""
        return next((value for _, value in self.gauges(name)), None)

    def changes(self, name: str, **match: str) -> Iterator[tuple[Labels, float | None]]:
        """Signed differences; ``None`` if one of the two values is missing."""
        values = self.current.values
        for column in self.view.matching(name, match):
            now, before = values[column.position], self._before(column)
            yield column.labels, None if now is None or before is None else now - before

    def rates(self, name: str, **match: str) -> Iterator[tuple[Labels, float | None]]:
        """Increases per second of the time between the readings; ``None`` also if the counter was reset."""
        dt_s = self.dt_s
        for labels, change in self.changes(name, **match):
            yield labels, change / dt_s if change is not None and change >= 0 and dt_s is not None else None

    def rate(self, name: str, **match: str) -> float | None:
        """Sum of the matching rates; ``None`` if one of them is missing or there is none."""
        return total([rate for _, rate in self.rates(name, **match)])

    def _before(self, column: Column) -> float | None:
        if self.previous is None or self.previous_view is None:
            return None
        if self.previous_view is self.view:
            return self.previous.values[column.position]
        position = self.previous_view.positions.get(column.identity)
        return None if position is None else self.previous.values[position]


Derivation = Callable[[Step], Iterator[Line]]


def scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
