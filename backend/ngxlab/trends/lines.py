"""Lines of a trend: an arm's means in one metric over the runs, broken where they cannot be compared."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_verdict import ChangePoint, Level, change_points, levels_of, runs_resemble
from ngxlab_verdict.level_shifts import CHANGE_ERROR, FEWEST_FOR_CHANGE

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.verdict.stream_comparison import metric_named
from ngxlab.definition.loads import why_not_comparable
from ngxlab.trends.readings import Reading
from ngxlab.trends.schemas import TrendBreak, TrendPoint


@dataclass(frozen=True)
class Stretch:
    """Runs that can be compared, the oldest first, with a mean each, in the metric's unit."""

    runs: Sequence[Reading]
    means: Sequence[float]
    margin: float

    def additive(self, metric: Metric) -> list[float] | None:
        """The means on the scale of differences; ``None`` where a ratio has a mean that is not positive."""
        if metric.info.scale == "difference":
            return list(self.means)
        return [math.log(mean) for mean in self.means] if min(self.means) > 0 else None


@dataclass(frozen=True)
class Line:
    metric: Metric
    arm: str
    label: str
    points: Sequence[TrendPoint]
    breaks: Sequence[TrendBreak]
    readings: Sequence[Reading]
    """Beside the points: the runs that have the arm."""

    @cached_property
    def stretches(self) -> list[Stretch]:
        return [self._stretch(number) for number in range(len(self.breaks) + 1)]

    def _stretch(self, number: int) -> Stretch:
        own = [
            (reading, point.mean)
            for reading, point in zip(self.readings, self.points, strict=True)
            if point.stretch == number and point.mean is not None
        ]
        margins = [found.margin for reading, _ in own if (found := reading.of(self.metric.name)) is not None]
        return Stretch([reading for reading, _ in own], [mean for _, mean in own], max(margins, default=0.0))


def lines_of(readings: Sequence[Reading]) -> list[Line]:
    """Metric by metric and arm by arm, in the order of the latest run that has them."""
    names = list(dict.fromkeys(one.name for reading in reversed(readings) for one in reading.points.metrics))
    labels: dict[str, str] = {}
    for reading in reversed(readings):
        for arm, label in reading.points.arms.items():
            labels.setdefault(arm, label)
    metrics = [metric for name in names if (metric := metric_named(name)) is not None]
    return [_line(readings, metric, arm, label) for metric in metrics for arm, label in labels.items()]


def _line(readings: Sequence[Reading], metric: Metric, arm: str, label: str) -> Line:
    own = [reading for reading in readings if arm in reading.points.arms]
    points: list[TrendPoint] = []
    breaks: list[TrendBreak] = []
    last: Reading | None = None
    for reading in own:
        point = reading.point(metric.name, arm)
        if point.mean is not None:
            if last is not None and (reason := _why_broken(reading, last, arm)) is not None:
                breaks.append(TrendBreak(run=reading.row.number, reason=reason))
            last = reading
        points.append(TrendPoint(run=reading.row.number, stretch=len(breaks), **point.model_dump()))
    return Line(metric, arm, label, points, breaks, own)


def _why_broken(reading: Reading, before: Reading, arm: str) -> Sentence | None:
    """Why two runs of an arm do not measure the same thing."""
    loads = [one.points.loads.get(arm) for one in (reading, before)]
    if loads[0] is None or loads[1] is None:
        return None if loads[0] == loads[1] else say("its load is not known in both runs")
    return why_not_comparable(loads[0], loads[1])


_DRIFT = say(
    "runs drift: those that follow each other resemble each other by more than chance explains, and a drift is easily "
    "taken for a change. To test a change, run old and new as arms of one experiment: they drift together"
)


@dataclass(frozen=True)
class Changes:
    """A line's change points, by stretch. ``none_because``: why none were looked for, or none are shown."""

    found: Sequence[tuple[Stretch, ChangePoint]]
    none_because: Sentence | None = None


def search(lines: Sequence[Line]) -> list[Changes]:
    """Level changes per line, with the error divided among the lines; none if the runs drift."""
    searched = [_search(line, CHANGE_ERROR / len(lines)) for line in lines]
    if runs_resemble([[level for _, _, levels in own for level in levels] for own in searched]):
        return [Changes([], _DRIFT if own else _too_few(line)) for line, own in zip(lines, searched, strict=True)]
    return [
        Changes([(stretch, point) for stretch, points, _ in own for point in points], None if own else _too_few(line))
        for line, own in zip(lines, searched, strict=True)
    ]


def _search(line: Line, level: float) -> list[tuple[Stretch, list[ChangePoint], list[Level]]]:
    """Each stretch that has enough runs."""
    able = [stretch for stretch in line.stretches if len(stretch.runs) >= FEWEST_FOR_CHANGE]
    searched = []
    for stretch in able:
        means = stretch.additive(line.metric) or []
        points = change_points(means, level / len(able))
        numbers = [reading.row.number for reading in stretch.runs]
        searched.append((stretch, points, levels_of(numbers, means, points)))
    return searched


def _too_few(line: Line) -> Sentence:
    most = max((len(stretch.runs) for stretch in line.stretches), default=0)
    few = "too few runs: {most} that can be compared; {needed} are needed"
    return say(few, most=most, needed=FEWEST_FOR_CHANGE)
