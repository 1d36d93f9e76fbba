"""Payloads of trends."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from ngxlab_contracts.sentences import Sentence
from ngxlab_verdict import Word
from pydantic import BaseModel, Field

from ngxlab.analysis.schemas import MetricInfo
from ngxlab.runs.schemas import RunRevision

ChangedThing = Literal["version", "nginx", "host", "kernel", "window"]


class TrendChange(BaseModel):
    """A difference from the run before."""

    what: ChangedThing
    text: Sentence = Field(description="ready to print, e.g. nginx/1.22.1 → nginx/1.24.0")


class TrendRun(BaseModel):
    """A run whose results are drawn."""

    id: UUID
    number: int
    at: datetime = Field(description="when it started")
    version: int
    note: str | None
    revision: RunRevision | None = Field(default=None, description="what of a repository it measures, where it is said")
    notes: int = Field(description="how many notes people wrote of it")
    nginx: str
    host: str
    kernel: str
    before: UUID | None = Field(description="the run drawn before it")
    changes: list[TrendChange] = Field(description="against the run before")


class LeftOutRun(BaseModel):
    """A finished run that is not drawn."""

    id: UUID
    number: int
    at: datetime
    reason: Sentence
    is_pending: bool = Field(description="its means are being computed: ask again")


class TrendPoint(BaseModel):
    """An arm's mean in a run with its 95 % interval over the run's trials; ``missing``: why there is none."""

    run: int = Field(description="the run's number")
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    trials: int = 0
    missing: Sentence | None = None
    stretch: int = Field(default=0, description="points of one number can be compared: they form an unbroken line")


class TrendBreak(BaseModel):
    """Between a run and the one before, an arm did not measure the same thing."""

    run: int
    reason: Sentence


class TrendChangePoint(BaseModel):
    """The level changed at ``run``. Estimate and interval: ratio or difference, as the metric's scale says."""

    run: int
    before_from: int = Field(description="the number of the first run of the level before")
    before_to: int
    until: int = Field(description="the number of the last run of the new level")
    verdict: Word
    estimate: float
    ci_low: float
    ci_high: float
    text: Sentence = Field(description="the whole sentence")


class TrendLine(BaseModel):
    """One arm in one metric. ``none_because``: why change points were not looked for, or are not shown."""

    arm: str
    label: str
    points: list[TrendPoint]
    breaks: list[TrendBreak]
    change_points: list[TrendChangePoint]
    none_because: Sentence | None


class TrendMetric(BaseModel):
    name: str = Field(description="as a plan names it; STREAM.KEY for a stream's")
    info: MetricInfo
    stream: str | None
    lines: list[TrendLine]


class LatestStatement(BaseModel):
    """The latest run against those before it. ``verdict`` is ``None`` where no comparison was possible."""

    metric: str
    arm: str
    verdict: Word | None
    text: Sentence


class LatestRun(BaseModel):
    """Whether the latest run that is drawn differs from those before it."""

    run: int
    sign: Literal["yes", "no", "open"]
    word: Sentence = Field(description="the answer: Yes: worse in 1 of 4; Not decided")
    statements: list[LatestStatement] = Field(description="what differs first")


class Trends(BaseModel):
    """The primary metrics of an experiment by arm, over its finished runs."""

    experiment_id: UUID
    experiment_name: str
    branch: str | None = Field(default=None, description="only its runs are looked at; null: all runs")
    branches: list[str] = Field(default=[], description="of which this experiment has runs")
    finished: int = Field(description="how many finished runs there are; the latest of them are looked at")
    runs: list[TrendRun] = Field(description="the oldest first")
    left_out: list[LeftOutRun]
    metrics: list[TrendMetric]
    latest: LatestRun | None
    notes: list[Sentence] = Field(description="how it was judged, in words")
