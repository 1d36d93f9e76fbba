"""Latency: summary and distribution."""

from pydantic import Field

from ngxlab.analysis.schemas.model import AnalysisModel


class LatencySummary(AnalysisModel):
    """Of the merged raw histograms of the measured window, in microseconds. Percentiles are never averaged.

    The stream's ``latency_basis`` says from which instant a latency counts. Values are exact to the histogram's
    resolution, three significant digits.
    """

    count: int = Field(description="responses in the histogram")
    mean_us: float
    stdev_us: float = Field(description="population standard deviation over the responses")
    p50_us: float
    p90_us: float
    p99_us: float | None = Field(description="None below 1,000 responses")
    p999_us: float | None = Field(description="None below 10,000 responses")
    max_us: float


class DistributionPoint(AnalysisModel):
    """``fraction`` (0 to 1) of all responses of the arm took ``value_ms`` or less."""

    value_ms: float
    fraction: float
