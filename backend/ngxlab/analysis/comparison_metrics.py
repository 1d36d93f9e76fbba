"""The quantities in which arms are compared, as data."""

from collections.abc import Callable
from typing import NamedTuple

from ngxlab.analysis.schemas import Balance, LatencySummary, MetricInfo, TrialSummary


class Metric(NamedTuple):
    """``value`` is ``None`` where the trial does not tell. ``phrase`` names it within a sentence."""

    info: MetricInfo
    phrase: str
    value: Callable[[TrialSummary], float | None]


def _latency(read: Callable[[LatencySummary], float]) -> Callable[[TrialSummary], float | None]:
    return lambda summary: read(summary.latency) if summary.latency is not None else None


def _balance(read: Callable[[Balance], float | None]) -> Callable[[TrialSummary], float | None]:
    return lambda summary: read(summary.balance) if summary.balance is not None else None


def _cost(summary: TrialSummary) -> float | None:
    return summary.nginx_cpu_s_per_1000_requests


METRICS: tuple[Metric, ...] = (
    Metric(
        MetricInfo(
            key="requests_per_s",
            title="Requests per second",
            unit="requests/s",
            direction="more_is_better",
            scale="ratio",
        ),
        "requests/s",
        lambda summary: summary.requests_per_s,
    ),
    Metric(
        MetricInfo(key="latency_p50_us", title="Latency, median", unit="us", direction="less_is_better", scale="ratio"),
        "median latency",
        _latency(lambda latency: latency.p50_us),
    ),
    Metric(
        MetricInfo(key="latency_p99_us", title="Latency, p99", unit="us", direction="less_is_better", scale="ratio"),
        "p99",
        _latency(lambda latency: latency.p99_us),
    ),
    Metric(
        MetricInfo(key="latency_mean_us", title="Latency, mean", unit="us", direction="less_is_better", scale="ratio"),
        "mean latency",
        _latency(lambda latency: latency.mean_us),
    ),
    Metric(
        MetricInfo(
            key="latency_stdev_us",
            title="Latency, standard deviation",
            unit="us",
            direction="less_is_better",
            scale="ratio",
        ),
        "latency's standard deviation",
        _latency(lambda latency: latency.stdev_us),
    ),
    Metric(
        MetricInfo(
            key="cpu_s_per_1000_requests",
            title="nginx CPU per 1000 requests",
            unit="s",
            direction="less_is_better",
            scale="ratio",
        ),
        "nginx CPU per request",
        _cost,
    ),
    Metric(
        MetricInfo(
            key="worker_cpu_cv",
            title="Imbalance of worker CPU (CV)",
            unit="CV",
            direction="less_is_better",
            scale="difference",
        ),
        "CV of worker CPU",
        _balance(lambda balance: balance.cpu_cv),
    ),
    Metric(
        MetricInfo(
            key="worker_connections_cv",
            title="Imbalance of worker connections (CV)",
            unit="CV",
            direction="less_is_better",
            scale="difference",
        ),
        "CV of worker connections",
        _balance(lambda balance: balance.connections_cv),
    ),
)
