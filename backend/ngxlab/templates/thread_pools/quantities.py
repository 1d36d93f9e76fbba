"""What the thread-pools template measures in addition to the metrics of every run."""

from collections.abc import Callable

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import LatencySummary, MetricInfo, TrialSummary
from ngxlab.templates.evidence import metric

CONSTANT = "constant"
RANDOM = "random"

RATE = metric("requests_per_s", CONSTANT)
P99 = metric("latency_p99_us", CONSTANT)
BLOCKED = metric("worker_blocked_percent")
FROM_DISK = metric("bytes_from_disk_percent")
IOWAIT = metric("iowait_percent")
LOAD = metric("load1")


def _latency(key: str, title: str, read: Callable[[LatencySummary], float]) -> Metric:
    info = MetricInfo(key=key, title=title, unit="us", direction="less_is_better", scale="ratio", group="latency")

    def value(trial: TrialSummary) -> float | None:
        latencies = (stream.latency for stream in trial.streams if stream.stream == CONSTANT)
        return next((read(latency) for latency in latencies if latency is not None), None)

    return Metric(info, f"{title} on stream `{CONSTANT}`", value)


_CPU_IDLE = Metric(
    MetricInfo(
        key="cpu_idle_percent", title="CPUs idle", unit="%", direction="neutral", scale="difference", group="host"
    ),
    "idle CPU",
    lambda trial: trial.cpu_percent_by_mode.get("idle"),
    margin=1.0,
)
OWN = {
    one.info.key: one
    for one in (
        _latency("constant_mean_us", "mean latency", lambda latency: latency.mean_us),
        _latency("constant_max_us", "greatest latency", lambda latency: latency.max_us),
        _CPU_IDLE,
    )
}
