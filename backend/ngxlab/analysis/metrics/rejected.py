"""Requests that were answered with a status that serves nobody, such as 429 (:mod:`ngxlab.analysis.summary.rejected`).

They have no good direction: an experiment about limits may want more of them or fewer.
"""

from ngxlab.analysis.metrics.metric import Metric, keyed_metric

REJECTED: tuple[Metric, ...] = (
    keyed_metric(
        "rejected_per_s",
        "Rejected requests per second",
        "requests/s",
        "rejected requests/s",
        group="throughput",
        scale="difference",
        margin=1.0,
    ),
    keyed_metric(
        "rejected_percent",
        "Rejected requests",
        "%",
        "share of rejected requests",
        group="throughput",
        scale="difference",
        margin=0.1,
    )._replace(ceiling=lambda _: 100),
    keyed_metric(
        "rejected_latency_p50_us",
        "Latency of rejections, median",
        "us",
        "median latency of rejections",
        group="latency",
    ),
    keyed_metric("rejected_latency_p99_us", "Latency of rejections, p99", "us", "p99 of rejections", group="latency"),
)
