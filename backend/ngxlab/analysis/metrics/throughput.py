"""Requests per second."""

from ngxlab.analysis.metrics.metric import Metric
from ngxlab.analysis.schemas import MetricInfo

THROUGHPUT: tuple[Metric, ...] = (
    Metric(
        MetricInfo(
            key="requests_per_s",
            title="Requests per second",
            unit="requests/s",
            direction="more_is_better",
            scale="ratio",
            group="throughput",
        ),
        "requests/s",
        lambda summary: summary.requests_per_s,
        expected=True,
    ),
)
