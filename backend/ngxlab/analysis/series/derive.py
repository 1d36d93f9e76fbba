"""From raw readings to chart points: one code path for the live stream and for stored trials."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.telemetry import Event, LatencyInterval, Layout, PhaseEvent
from ngxlab_contracts.trials import TrialSpec
from numpy.typing import NDArray
from tsdownsample import MinMaxLTTBDownsampler

from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.records.readings import FrameTable, tables_of
from ngxlab.analysis.series.catalogue import OF_STREAMS, UNIT_BY_KEY, derivations_for
from ngxlab.analysis.series.derivations import latency
from ngxlab.analysis.series.derivations.step import (
    MISSING,
    Derivation,
    LayoutView,
    Line,
    Memory,
    Read,
    Reading,
    Step,
)
from ngxlab.analysis.series.schemas import DerivedPoint, DerivedSeries

Drawn = list[tuple[float, float | None]]
"""Time and value; ``None`` for a gap."""


class Points(NamedTuple):
    """Times and values of a line; NaN for a gap."""

    t_s: NDArray[np.float64]
    values: NDArray[np.float64]


def downsample(points: Drawn, max_points: int) -> Drawn:
    """As :func:`drawn`."""
    if len(points) <= max_points:
        return points
    t_s, values = np.array(points, np.float64).T  # None becomes NaN
    return drawn(Points(t_s, values), max_points)


def drawn(points: Points, max_points: int) -> Drawn:
    """At most ``max_points`` points with a value, chosen by MinMaxLTTB, which keeps peaks, and every gap mark."""
    t_s, values = points
    is_gap = np.isnan(values)
    if values.size - int(is_gap.sum()) > max_points:
        valid_s, valid = np.ascontiguousarray(t_s[~is_gap]), np.ascontiguousarray(values[~is_gap])
        sampler = MinMaxLTTBDownsampler()  # type: ignore[no-untyped-call]  # marked py.typed, but its __init__ is not
        kept = sampler.downsample(valid_s, valid, n_out=max_points)
        t_s, values = np.concatenate([valid_s[kept], t_s[is_gap]]), np.concatenate([valid[kept], values[is_gap]])
        order = np.argsort(t_s, kind="stable")
        t_s, values = t_s[order], values[order]
    numbers: list[float | None] = values.tolist()
    for position in np.flatnonzero(np.isnan(values)).tolist():
        numbers[position] = None
    return list(zip(t_s.tolist(), numbers, strict=True))


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


TimedLine = tuple[float, Line]
"""Seconds since the start of the measured window, and a value of a line, labelled as charts show it."""
Within = tuple[float, float]
"""A part of a trial: from and until, in seconds since the start of the measured window."""


class Wanted(NamedTuple):
    """What charts ask for: so many points a line; of all series, or only of ``keys``; of a part, or of the whole."""

    points: int
    keys: Collection[str] | None = None
    within: Within | None = None


class SeriesDeriver:
    """Derives the points of one trial on one host, batch by batch, in the order in which the host sent them.

    To resume in the middle of a trial (after a restart of the backend), feed what is stored first and drop its points.
    Points start with the load: readings before it serve only as the start of rates and as baselines.

    ``host_label`` tells the lines of hosts other than the target apart: ``gen-a: user``. Lines of streams have the
    stream's key instead; latencies are labelled ``STREAM p99`` if the trial may have several streams.
    ``keys``: derive only these entries of the catalogue.
    """

    def __init__(self, spec: TrialSpec, host_label: str | None = None, keys: Collection[str] | None = None) -> None:
        self._keys = keys
        self._prefix = f"{host_label}: " if host_label is not None else ""
        self._single_stream = len(spec.streams) == 1 and not spec.remote_streams and host_label is None
        self._warmup_us = round(spec.timing.warmup_s * 1e6)
        self._interval_us = spec.sampling.interval_ms * 1000
        self._histogram_interval_us = spec.sampling.histogram_interval_ms * 1000
        self.origin_us: int | None = None
        """The start of the measured window, by the host's clock."""
        self._memory = Memory()
        self._views: dict[int, tuple[LayoutView, list[Derivation]]] = {}
        self._previous: dict[str, Read] = {}
        self._interval_ends_us: dict[tuple[str, str], int] = {}
        self._begun: set[tuple[str, str]] = set()

    @property
    def began_us(self) -> int | None:
        """When the load began, by the host's clock."""
        return self._memory.load_began_us

    def feed(
        self,
        layouts: Iterable[Layout],
        frames: Iterable[Reading],
        intervals: Iterable[LatencyInterval],
        events: Iterable[Event],
    ) -> list[DerivedPoint]:
        """The points that this batch completes. Raises KeyError for a frame whose layout was never fed."""
        return [
            DerivedPoint(key=line.key, label=line.label, unit=UNIT_BY_KEY[line.key], t_s=t_s, value=line.value)
            for t_s, line in self.feed_lines(layouts, frames, intervals, events)
        ]

    def feed_lines(
        self,
        layouts: Iterable[Layout],
        frames: Iterable[Reading],
        intervals: Iterable[LatencyInterval],
        events: Iterable[Event],
    ) -> list[TimedLine]:
        """As :meth:`feed`, without a validated model for each point: a stored trial has a hundred thousand points."""
        for event in events:
            if isinstance(event, PhaseEvent):
                self._enter(event)
        for layout in layouts:
            view = LayoutView(layout)
            self._views[layout.id] = (view, derivations_for(view, self._keys))
        points = [point for frame in frames for point in self._from_frame(frame)]
        points += [point for interval in intervals for point in self._from_interval(interval)]
        return points

    def _enter(self, event: PhaseEvent) -> None:
        if event.phase == "warmup":
            self._memory.load_began_us = event.t_us
            self.origin_us = event.t_us + self._warmup_us
        elif event.phase == "measure":
            self._memory.load_began_us = self._memory.load_began_us or event.t_us
            self.origin_us = event.t_us

    def _from_frame(self, frame: Reading) -> Iterator[TimedLine]:
        view, derivations = self._views[frame.layout]
        values = [MISSING if value is None else value for value in frame.values]
        previous, now = self._previous.get(view.collector), Read(view, frame.t_us, values)
        self._previous[view.collector] = now
        before = [MISSING] * view.width if previous is None else previous.seen_by(view)
        dt_s = (frame.t_us - previous.t_us) / 1e6 if previous is not None and frame.t_us > previous.t_us else MISSING
        step = Step(view, frame.t_us, dt_s, values, before, self._memory)
        lines = [line for derive in derivations for line in derive(step)]
        if previous is not None and frame.t_us - previous.t_us > GAP_FACTOR * self._interval_us:
            yield from self._points(previous.t_us + self._interval_us, _as_gap(lines))
        yield from self._points(frame.t_us, lines)

    def _from_interval(self, interval: LatencyInterval) -> Iterator[TimedLine]:
        line = (interval.stream, interval.quantity)
        ended_us = self._interval_ends_us.get(line)
        self._interval_ends_us[line] = interval.t1_us
        lines = list(latency.from_interval(interval, single_stream=self._single_stream, keys=self._keys))
        if ended_us is not None and interval.t0_us - ended_us > self._histogram_interval_us:
            yield from self._points(ended_us + self._histogram_interval_us, _as_gap(lines))
        yield from self._points(interval.t1_us, lines)

    def _points(self, t_us: int, lines: Iterable[Line]) -> Iterator[TimedLine]:
        began_us = self._memory.load_began_us
        if self.origin_us is None or began_us is None or t_us < began_us:
            return
        t_s = (t_us - self.origin_us) / 1e6
        for key, own_label, value in lines:
            label = self._label(key, own_label)
            is_gap = value is None or value != value  # noqa: PLR0124 (NaN)
            if not is_gap:
                self._begun.add((key, label))
            elif (key, label) not in self._begun:
                continue  # a line does not start with a gap
            yield t_s, Line(key, label, None if is_gap else value)

    def _label(self, key: str, own: str) -> str:
        return own if key in OF_STREAMS else self._prefix + own

    def lines_of_readings(self, record: HostRecord, within: Within | None) -> list[tuple[LineName, Points]]:
        """Lines of a whole trial whose events have been fed: what :meth:`feed_lines` gives for its frames."""
        began_us = self._memory.load_began_us
        if self.origin_us is None or began_us is None:
            return []
        clock = Clock(self.origin_us, began_us, self._interval_us)
        tables = {**tables_of(record.frames), **record.tables}
        parts: dict[LineName, list[Stretch]] = {}
        for (key, label), stretch in stretches(record.layouts, tables, self._keys, self._memory):
            parts.setdefault((key, self._label(key, label)), []).append(stretch)
        found = [(name, course(own, clock, within)) for name, own in parts.items()]
        lines = [(one.place, name, one.points) for name, one in found if one is not None]
        return [(name, points) for _, name, points in sorted(lines, key=lambda line: line[0])]


def derive_all(
    record: HostRecord,
    max_points: int = 1000,
    host_label: str | None = None,
    keys: Collection[str] | None = None,
    within: Within | None = None,
) -> list[DerivedSeries]:
    """Every series of one host in a stored trial, in the catalogue's order, each downsampled to ``max_points``.

    ``host_label`` and ``keys``: as for :class:`SeriesDeriver`. ``within``: only points there. Series of several hosts
    may be concatenated. Gap marks (``None``) come in addition to ``max_points``. Raises ValueError for ``max_points``
    below 3.
    """
    if max_points < 3:
        raise ValueError(f"max_points is {max_points}, at least 3 are needed to draw a line")
    deriver = SeriesDeriver(record.spec, host_label, keys)
    intervals = sorted(record.intervals, key=lambda interval: interval.t1_us)
    lines: dict[tuple[str, str], Drawn] = {}
    for t_s, (key, label, value) in deriver.feed_lines([], [], intervals, record.events):
        if within is None or within[0] <= t_s <= within[1]:
            lines.setdefault((key, label), []).append((t_s, value))
    found = [(key, label, downsample(line, max_points)) for (key, label), line in lines.items()]
    for (key, label), points in deriver.lines_of_readings(record, within):
        found.append((key, label, drawn(points, max_points)))
    order = {key: position for position, key in enumerate(UNIT_BY_KEY)}
    return [
        DerivedSeries(key=key, label=label, unit=UNIT_BY_KEY[key], points=points)
        for key, label, points in sorted(found, key=lambda line: order[line[0]])
    ]


def _as_gap(lines: Iterable[Line]) -> list[Line]:
    return [line._replace(value=None) for line in lines]
