"""Derived series: what charts draw, computed from raw counters and histograms when they are read."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Direction = Literal["more_is_better", "less_is_better", "neutral"]
"""``neutral`` is never coloured: iowait and load average rise in the better arm of some experiments."""


class DerivedModel(BaseModel):
    """Immutable, and without unknown fields: a misspelt one fails where it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DerivedPoint(DerivedModel):
    """One value of one series, as sent live. ``(key, label)`` identifies a line of a chart."""

    key: str = Field(description="entry of the catalogue, e.g. requests_per_s")
    label: str = Field(description="the line within the chart, e.g. a stream's key, p99, worker 1, gen-a: user")
    unit: str = Field(description="unit of ``value``, as in the catalogue, e.g. requests/s, ms, %")
    t_s: float = Field(description="seconds since the start of the measured window; negative during the warm-up")
    value: float | None = Field(description="``None`` marks a gap: do not connect the points around it")


class DerivedSeries(DerivedModel):
    """One line of a chart over a whole trial, downsampled to the requested number of points.

    Labels of lines of hosts other than the target start with the host's name: ``gen-a: user``.
    """

    key: str
    label: str
    unit: str
    points: list[tuple[float, float | None]] = Field(
        description="(t_s, value) in time order; t_s and gaps as in DerivedPoint"
    )


class LatencyMap(DerivedModel):
    """Counts of one stream's responses by column of time and bucket of latency."""

    stream: str
    begin_s: float = Field(description="where the first column begins, in seconds since the start of the window")
    step_s: float = Field(description="how long a column is")
    bounds_ms: list[float] = Field(
        description="ends of the buckets, ascending, equal steps of the logarithm: one more than buckets"
    )
    counts: list[list[int] | None] = Field(
        description="by column, then by bucket; ``None`` for a column without any histogram"
    )


class SeriesInfo(DerivedModel):
    """An entry of the catalogue: everything that a chart needs except the data."""

    key: str
    title: str = Field(description="title of the chart, e.g. Requests per second")
    unit: str = Field(description="e.g. requests/s, ms, %, bytes, bit/s, connections")
    description: str = Field(description="one or two sentences: what is shown, and what a percentage refers to")
    direction: Direction
    stacked: bool = Field(description="the labels are parts of a whole and may be drawn stacked")
    y_max: float | None = Field(default=None, description="natural upper end of the axis, e.g. 100 for a share")
    order: Annotated[int, Field(ge=0)] = Field(description="position on a page that shows all charts")
