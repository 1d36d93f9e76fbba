"""A template's charts with their data, as a report draws them."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from ngxlab.analysis.series.schemas import Direction


class ChartHead(BaseModel):
    """``why``: what to look for in the chart, and why it matters."""

    key: str
    title: str
    why: str


class Bar(BaseModel):
    """An arm's mean over its usable trials, and each trial's value."""

    arm: str
    label: str
    mean: float
    values: list[float]


class ArmBarsChart(ChartHead):
    """A bar for each arm that has a value. ``unit`` and ``direction`` as in the table by arm."""

    kind: Literal["arm-bars"] = "arm-bars"
    unit: str
    direction: Direction
    bars: list[Bar]


class Point(BaseModel):
    """``values``: of the single trials, whose mean is ``y``; ``arm``: the arm that they belong to.

    ``blocks``: of each value, the block of its trial.
    """

    x: float
    y: float
    values: list[float] = []
    blocks: list[int] = []
    arm: str | None = None


class Regression(BaseModel):
    """The mean of the blocks' least-squares lines, y = ``intercept`` + ``slope`` x, through ``points`` values.

    The slope has a 95 % interval over the blocks. ``curved``: the blocks show that a straight line does not fit.
    """

    slope: float
    ci_low: float
    ci_high: float
    intercept: float
    points: int
    curved: bool = False


class Line(BaseModel):
    label: str
    points: list[Point]
    regression: Regression | None = None


class Mark(BaseModel):
    """A value to mark on an axis, e.g. a predicted threshold. ``simulated``: it rests on a model."""

    axis: Literal["x", "y"]
    at: float
    label: str
    help: str = ""
    simulated: bool = False


class LineChart(ChartHead):
    """Lines over a number: a factor's levels, the rank of a worker, …"""

    kind: Literal["line"] = "line"
    x_title: str
    x_unit: str
    y_title: str
    unit: str
    direction: Direction
    lines: list[Line]
    marks: list[Mark] = []


class SeriesTrial(BaseModel):
    """The trial that represents an arm: the one with the median rate."""

    arm: str
    label: str
    block: int
    trial_id: UUID


class TimeSeriesChart(ChartHead):
    """A derived series over one trial of each arm. The trial's series endpoint has its points.

    ``series``: a key of the catalogue. ``lines``: the labels to draw; all if empty.
    """

    kind: Literal["time-series"] = "time-series"
    series: str
    unit: str
    direction: Direction
    lines: list[str]
    trials: list[SeriesTrial]


Chart = Annotated[ArmBarsChart | LineChart | TimeSeriesChart, Field(discriminator="kind")]
