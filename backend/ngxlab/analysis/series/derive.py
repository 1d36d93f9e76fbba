"""From raw readings to chart points: one code path for the live stream and for stored trials."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from ngxlab_contracts.telemetry import Event, LatencyInterval, Layout, PhaseEvent
from ngxlab_contracts.trials import TrialSpec

from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.records.readings import tables_of
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
from ngxlab.analysis.series.downsampling import Drawn, Points, downsample, drawn
from ngxlab.analysis.series.history import GAP_FACTOR, Clock, LineName, Stretch, course, stretches
from ngxlab.analysis.series.schemas import DerivedPoint, DerivedSeries

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
