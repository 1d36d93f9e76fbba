"""What the dynamic-upstreams template measures."""

from ngxlab_contracts.telemetry import EngineTotals

from ngxlab.analysis.metrics import Metric, keyed_metric
from ngxlab.analysis.schemas import MetricInfo, TrialSummary
from ngxlab.templates.evidence import metric

P50_BEFORE = metric("churn_p50_before_us")
P50_DURING = metric("churn_p50_during_us")
P99_BEFORE = metric("churn_p99_before_us")
P99_DURING = metric("churn_p99_during_us")
RECOVERY = metric("churn_recovery_s")
FAILED = metric("churn_calls_failed")
SKIPPED = metric("churn_calls_skipped")
RECOVERED = keyed_metric(
    "churn_recovered", "Trials that recovered within the window", "", "recovery", group="latency", scale="difference"
)
P99_TYPICAL = keyed_metric("churn_p99_typical_us", "p99 of a typical second of the churn", "us", "p99", group="latency")


def _error_share(trial: TrialSummary) -> float | None:
    """Failed requests in percent of all requests, over all streams except probes.

    Answered requests include those with an error status, but not those that failed in another way.
    """
    failed = whole = 0
    for stream in trial.streams:
        said = stream.printed or stream.totals
        if stream.probe or stream.errors is None or said is None:
            continue
        errors = stream.errors
        lost = errors.connect + errors.read + errors.write + errors.timeout + errors.garbage
        failed += lost + errors.status
        whole += lost + (said.completed if isinstance(said, EngineTotals) else said.requests)
    return 100 * failed / whole if whole else None


ERRORS = Metric(
    MetricInfo(
        key="churn_error_percent",
        title="Requests that failed",
        unit="%",
        direction="less_is_better",
        scale="difference",
        group="throughput",
    ),
    "share of requests that failed",
    _error_share,
    margin=0.1,
)
