"""A template's charts as data. A chart for which nothing was measured is left out."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.analysis.series.catalogue import CATALOGUE
from ngxlab.templates.block_slopes import regression
from ngxlab.templates.chart_data import (
    ArmBarsChart,
    Bar,
    Chart,
    ChartHead,
    Line,
    LineChart,
    Mark,
    Point,
    SeriesTrial,
    TimeSeriesChart,
)
from ngxlab.templates.evidence import Evidence, Named, Quantity, metric


@dataclass(frozen=True, kw_only=True)
class ChartSpec(ABC):
    """``key`` is unique within the template; ``why`` says what to look for."""

    key: str
    title: str
    why: str

    @property
    def head(self) -> ChartHead:
        return ChartHead(key=self.key, title=self.title, why=self.why)

    @abstractmethod
    def draw(self, evidence: Evidence) -> Chart | None:
        """The chart with its data, or ``None`` if the run has none."""


@dataclass(frozen=True, kw_only=True)
class ArmBars(ChartSpec):
    """A bar for each arm. ``unless_swept``: not drawn if this factor has several levels, which lines show better."""

    quantity: Quantity
    unless_swept: str | None = None

    def draw(self, evidence: Evidence) -> ArmBarsChart | None:
        if self.unless_swept in {name for arm in evidence.arms for name in arm.levels}:
            return None
        bars = []
        for arm in evidence.arms:
            measured = evidence.measured(arm, self.quantity)
            if measured.mean is not None:
                values = [value.value for value in measured.values]
                bars.append(Bar(arm=arm.key, label=arm.label, mean=measured.mean, values=values))
        info = self.quantity.info
        head = self.head.model_dump()
        return ArmBarsChart(**head, unit=info.unit, direction=info.direction, bars=bars) if bars else None


@dataclass(frozen=True, kw_only=True)
class LevelLine(ChartSpec):
    """A quantity over the numeric levels of a factor: ``variable`` is the one that those levels set.

    One line for each combination of the other factors. ``regression``: a straight line through all trials of each,
    except arms that ``unfit`` reports as being away from the value of their level; these are only drawn. ``marks``:
    values to mark on the axes, such as a predicted threshold.
    """

    quantity: Quantity
    factor: str
    variable: str
    x_title: str
    x_unit: str = ""
    regression: bool = False
    unfit: Callable[[Evidence, ArmAnalysis], bool] = field(default=lambda *_: False)
    marks: Annotated[Callable[[Evidence], list[Mark]], Named] = field(default=lambda _: [])

    def draw(self, evidence: Evidence) -> LineChart | None:
        lines = [self._line(evidence, arms) for arms in self._alike(evidence).values()]
        lines = [line for line in lines if len(line.points) > 1]
        if not lines:
            return None
        info = self.quantity.info
        return LineChart(
            **self.head.model_dump(),
            x_title=self.x_title,
            x_unit=self.x_unit,
            y_title=info.title,
            unit=info.unit,
            direction=info.direction,
            lines=lines,
            marks=self.marks(evidence),
        )

    def _alike(self, evidence: Evidence) -> dict[tuple[tuple[str, str], ...], list[ArmAnalysis]]:
        """The arms that have the factor, grouped by their levels of the other factors."""
        groups: dict[tuple[tuple[str, str], ...], list[ArmAnalysis]] = {}
        for arm in evidence.arms:
            if self.factor in arm.levels:
                others = tuple((name, level) for name, level in arm.levels.items() if name != self.factor)
                groups.setdefault(others, []).append(arm)
        return groups

    def _line(self, evidence: Evidence, arms: list[ArmAnalysis]) -> Line:
        points = []
        for arm in arms:
            x, measured = evidence.variables(arm).get(self.variable), evidence.measured(arm, self.quantity)
            if isinstance(x, int | float) and measured.mean is not None:
                values = [value.value for value in measured.values]
                blocks = [value.block for value in measured.values]
                points.append(Point(x=x, y=measured.mean, values=values, blocks=blocks, arm=arm.key))
        points.sort(key=lambda point: point.x)
        labels = {
            factor.key: {level.key: level.label for level in factor.levels} for factor in evidence.definition.factors
        }
        others = [labels[name][level] for name, level in arms[0].levels.items() if name != self.factor]
        label = ", ".join(others) or self.quantity.info.title
        unfit = {arm.key for arm in arms if self.unfit(evidence, arm)}
        fit = [point for point in points if point.arm not in unfit]
        return Line(label=label, points=points, regression=regression(fit) if self.regression else None)


@dataclass(frozen=True, kw_only=True)
class CustomLines(ChartSpec):
    """Lines that the template computes itself."""

    x_title: str
    y_title: str
    unit: str
    lines: Callable[[Evidence], list[Line]]
    x_unit: str = ""
    marks: Callable[[Evidence], list[Mark]] = field(default=lambda _: [])

    def draw(self, evidence: Evidence) -> LineChart | None:
        lines = [line for line in self.lines(evidence) if line.points]
        if not lines:
            return None
        return LineChart(
            **self.head.model_dump(),
            x_title=self.x_title,
            x_unit=self.x_unit,
            y_title=self.y_title,
            unit=self.unit,
            direction="neutral",
            lines=lines,
            marks=self.marks(evidence),
        )


@dataclass(frozen=True, kw_only=True)
class TimeSeries(ChartSpec):
    """A series of the catalogue over one trial of each arm; ``lines``: draw only these labels."""

    series: str
    lines: tuple[str, ...] = ()

    def draw(self, evidence: Evidence) -> TimeSeriesChart | None:
        info = next(info for info in CATALOGUE if info.key == self.series)
        trials = [trial for arm in evidence.arms if (trial := _median_trial(evidence, arm)) is not None]
        if not trials:
            return None
        return TimeSeriesChart(
            **self.head.model_dump(),
            series=self.series,
            unit=info.unit,
            direction=info.direction,
            lines=list(self.lines),
            trials=trials,
        )


def _median_trial(evidence: Evidence, arm: ArmAnalysis) -> SeriesTrial | None:
    """The trial with the median rate, which represents the arm better than the first or the best one."""
    values = evidence.measured(arm, metric("requests_per_s")).values
    ranked = sorted(values, key=lambda value: value.value)
    if not ranked:
        return None
    middle = ranked[(len(ranked) - 1) // 2]
    return SeriesTrial(arm=arm.key, label=arm.label, block=middle.block, trial_id=middle.trial_id)
