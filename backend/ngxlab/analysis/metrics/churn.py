"""A churn of upstreams: the latency during it, and the results of its calls."""

from ngxlab.analysis.metrics.metric import Metric, keyed_metric
from ngxlab.analysis.schemas import Direction, Scale


def _churn(
    key: str,
    title: str,
    phrase: str,
    unit: str,
    *,
    direction: Direction = "less_is_better",
    scale: Scale = "ratio",
    margin: float = 0,
) -> Metric:
    return keyed_metric(
        f"churn_{key}", title, unit, phrase, group="latency", direction=direction, scale=scale, margin=margin
    )


CHURN: tuple[Metric, ...] = (
    _churn(
        "p50_before_us",
        "Latency before the churn, median",
        "median latency before the churn",
        "us",
        direction="neutral",
    ),
    _churn("p50_during_us", "Latency during the churn, median", "median latency during the churn", "us"),
    _churn("p99_before_us", "Latency before the churn, p99", "p99 before the churn", "us", direction="neutral"),
    _churn("p99_during_us", "Latency during the churn, p99", "p99 during the churn", "us"),
    _churn("p99_after_us", "Latency after the churn, p99", "p99 after the churn", "us"),
    _churn(
        "excess_latency_ms_s",
        "Excess latency, area over p99",
        "excess latency (area over p99)",
        "ms·s",
        scale="difference",
        margin=10,
    ),
    _churn(
        "recovery_s",
        "Recovery time after the churn",
        "recovery time after the churn",
        "s",
        scale="difference",
        margin=1,
    )._replace(ended_if="churn_recovered"),
    _churn("call_us", "Duration of a churn call", "duration of a churn call", "us"),
    _churn("calls_failed", "Failed churn calls", "failed churn calls", "calls", scale="difference", margin=0.5),
    _churn("calls_skipped", "Skipped churn calls", "skipped churn calls", "calls", scale="difference", margin=0.5),
)
