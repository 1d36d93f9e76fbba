"""What arms are compared in."""

from typing import Literal

from pydantic import Field

from ngxlab.analysis.schemas.model import AnalysisModel

Direction = Literal["more_is_better", "less_is_better", "neutral"]
Scale = Literal["ratio", "difference"]
MetricGroup = Literal["load", "latency", "nginx", "balance", "disk", "host"]
MetricKey = str
"""Of one of :data:`ngxlab.analysis.metrics.METRICS`."""


class MetricInfo(AnalysisModel):
    """A column of the table by arm."""

    key: MetricKey
    title: str
    unit: str
    direction: Direction = Field(description="neutral: never to be shown as good or bad, e.g. iowait and load")
    scale: Scale = Field(
        description="ratio: arm / baseline of paired blocks; difference: arm - baseline (of what may be 0)"
    )
    group: MetricGroup = Field(description="what it tells of, to fold a long table")
