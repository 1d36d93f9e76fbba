"""nginx's CPU and system calls per request, its own request times, blocked workers, temporary files."""

from ngxlab.analysis.metrics.metric import Metric, keyed_metric
from ngxlab.analysis.schemas import MetricInfo

NGINX: tuple[Metric, ...] = (
    Metric(
        MetricInfo(
            key="cpu_s_per_1000_requests",
            title="nginx CPU per 1000 requests",
            unit="s",
            direction="less_is_better",
            scale="ratio",
            group="nginx",
        ),
        "nginx CPU per request",
        lambda summary: summary.nginx_cpu_s_per_1000_requests,
    ),
    keyed_metric(
        "worker_blocked_percent",
        "Workers blocked on the disk",
        "%",
        "share of time that workers' main threads were blocked on the disk",
        group="nginx",
        scale="difference",
        margin=1.0,
    )._replace(ceiling=lambda _: 100),
    keyed_metric(
        "request_time_p50_ms",
        "Request time by nginx, median",
        "ms",
        "median request time by nginx",
        group="nginx",
    ),
    keyed_metric(
        "request_time_p99_ms",
        "Request time by nginx, p99",
        "ms",
        "p99 of request time by nginx",
        group="nginx",
    ),
    keyed_metric(
        "upstream_time_p99_ms",
        "Upstream time by nginx, p99",
        "ms",
        "p99 of upstream time by nginx",
        group="nginx",
    ),
    keyed_metric(
        "temp_file_warnings_per_1000_requests",
        "Temporary files per 1000 requests",
        "files",
        "temporary files per 1000 requests",
        group="nginx",
        scale="difference",
        margin=1.0,
    ),
    keyed_metric(
        "write_syscalls_per_request",
        "Write calls of nginx per request",
        "calls",
        "write calls of nginx per request",
        group="nginx",
    ),
)
