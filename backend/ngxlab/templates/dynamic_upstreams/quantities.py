"""What the dynamic-upstreams template measures."""

from ngxlab.analysis.comparison_metrics import figure
from ngxlab.templates.evidence import metric

P50_BEFORE = metric("churn_p50_before_us")
P50_DURING = metric("churn_p50_during_us")
P99_BEFORE = metric("churn_p99_before_us")
P99_DURING = metric("churn_p99_during_us")
P99_AFTER = metric("churn_p99_after_us")
EXCESS = metric("churn_excess_latency_ms_s")
RECOVERY = metric("churn_recovery_s")
CALL = metric("churn_call_us")
FAILED = metric("churn_calls_failed")
SKIPPED = metric("churn_calls_skipped")
RECOVERED = figure(
    "churn_recovered", "Trials that recovered within the window", "", "recovery", group="latency", scale="difference"
)
P99_TYPICAL = figure("churn_p99_typical_us", "p99 of a typical second of the churn", "us", "p99", group="latency")
