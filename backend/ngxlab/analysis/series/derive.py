"""From raw readings to chart points: one code path for the live stream and for stored trials."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.telemetry import Event, LatencyInterval, Layout, PhaseEvent
from ngxlab_contracts.trials import TrialSpec
from tsdownsample import MinMaxLTTBDownsampler

from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.series.catalogue import UNIT_BY_KEY
from ngxlab.analysis.series.derivations import latency
from ngxlab.analysis.series.derivations.registry import derivations_for
from ngxlab.analysis.series.derivations.step import Derivation, LayoutView, Line, Memory, Reading, Step
from ngxlab.analysis.series.schemas import DerivedPoint, DerivedSeries

LINES_OF_STREAMS = frozenset(
    {
        "requests_per_s",
        "latency_ms",
        "service_ms",
        "schedule_ms",
        "generator_cpu_share",
        "stream_backlog",
        "stream_connections",
        "stream_errors_per_s",
    }
)
"""Labelled by stream: stream keys are unique over all hosts of a trial."""
TimedLine = tuple[float, Line]
"""Seconds since the start of the measured window, and a value of a line, labelled as charts show it."""
Within = tuple[float, float]
"""A part of a trial: from and until, in seconds since the start of the measured window."""


class Wanted(NamedTuple):
    """What charts ask for: so many points a line; of all series, or only of ``keys``; of a part, or of the whole."""

    points: int
    keys: Collection[str] | None = None
    within: Within | None = None


GAP_FACTOR = 2.5
"""Readings that are more than this many intervals apart have a gap between them."""


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
        self._previous: dict[str, tuple[LayoutView, Reading]] = {}
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
        previous_view, previous = self._previous.get(view.collector, (None, None))
        self._previous[view.collector] = (view, frame)
        step = Step(view, frame, previous_view, previous, self._memory)
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
            label = own_label if key in LINES_OF_STREAMS else self._prefix + own_label
            if value is not None:
                self._begun.add((key, label))
            elif (key, label) not in self._begun:
                continue  # a line does not start with a gap
            yield t_s, Line(key, label, value)


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
    frames = sorted(record.frames, key=lambda frame: frame.t_us)
    intervals = sorted(record.intervals, key=lambda interval: interval.t1_us)
    deriver = SeriesDeriver(record.spec, host_label, keys)
    lines: dict[tuple[str, str], list[tuple[float, float | None]]] = {}
    for t_s, (key, label, value) in deriver.feed_lines(record.layouts.values(), frames, intervals, record.events):
        if within is not None and not within[0] <= t_s <= within[1]:
            continue
        lines.setdefault((key, label), []).append((t_s, value))
    order = {key: position for position, key in enumerate(UNIT_BY_KEY)}
    return [
        DerivedSeries(key=key, label=label, unit=UNIT_BY_KEY[key], points=downsample(line, max_points))
        for (key, label), line in sorted(lines.items(), key=lambda item: order[item[0][0]])
    ]


def downsample(points: list[tuple[float, float | None]], max_points: int) -> list[tuple[float, float | None]]:
    """At most ``max_points`` points with a value, chosen by MinMaxLTTB, which keeps peaks, and every gap mark."""
    valid = [(t_s, value) for t_s, value in points if value is not None]
    if len(valid) <= max_points:
        return points
    times, values = (np.ascontiguousarray(column) for column in np.array(valid, np.float64).T)
    sampler = MinMaxLTTBDownsampler()  # type: ignore[no-untyped-call]  # marked py.typed, but its __init__ is not
    kept = sampler.downsample(times, values, n_out=max_points)
    gaps = [(t_s, value) for t_s, value in points if value is None]
    return sorted([valid[index] for index in kept] + gaps, key=lambda point: point[0])


def _as_gap(lines: Iterable[Line]) -> list[Line]:
    return [line._replace(value=None) for line in lines]
