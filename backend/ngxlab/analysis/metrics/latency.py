"""Latency as the generators measured it."""

from collections.abc import Callable

from ngxlab.analysis.metrics.metric import Metric
from ngxlab.analysis.schemas import LatencySummary, MetricInfo
from ngxlab.analysis.statistics.histograms import MIN_COUNT_FOR_P99


def _latency(key: str, title: str, phrase: str, read: Callable[[LatencySummary], float | None]) -> Metric:
    info = MetricInfo(key=key, title=title, unit="us", direction="less_is_better", scale="ratio", group="latency")
    return Metric(
        info,
        phrase,
        lambda summary: read(summary.latency) if summary.latency is not None else None,
        expected=True,
    )


LATENCY: tuple[Metric, ...] = (
    _latency("latency_p50_us", "Latency, median", "median latency", lambda latency: latency.p50_us),
    _latency("latency_p99_us", "Latency, p99", "p99", lambda latency: latency.p99_us)._replace(
        responses=lambda summary: summary.latency.count if summary.latency is not None else None,
        needs=MIN_COUNT_FOR_P99,
    ),
    _latency("latency_mean_us", "Latency, mean", "mean latency", lambda latency: latency.mean_us),
    _latency(
        "latency_stdev_us",
        "Latency, standard deviation",
        "standard deviation of latency",
        lambda latency: latency.stdev_us,
    ),
)
