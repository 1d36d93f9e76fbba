"""What arms are compared in."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class AnalysisModel(BaseModel):
    """Immutable, and without unknown fields: a misspelt one fails where it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Direction = Literal["more_is_better", "less_is_better", "neutral"]
Scale = Literal["ratio", "difference"]
MetricGroup = Literal["throughput", "latency", "nginx", "balance", "disk", "host"]
MetricKey = str
"""The key of one of :data:`ngxlab.analysis.metrics.METRICS`."""


class MetricInfo(AnalysisModel):
    """A column of the table of arms."""

    key: MetricKey
    title: str
    unit: str
    direction: Direction = Field(description="neutral: never shown as good or bad, e.g. iowait and load average")
    scale: Scale = Field(
        description="ratio: arm / baseline, paired by block; difference: arm - baseline, for values that may be 0"
    )
    group: MetricGroup = Field(description="subject, by which a long table is folded")
