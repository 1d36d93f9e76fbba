"""Idle connections and the memory they take on the target. Neutral: more connections take more memory."""

from ngxlab.analysis.metrics.metric import Metric, keyed_metric

_MEBIBYTE = float(1 << 20)

IDLE: tuple[Metric, ...] = (
    keyed_metric(
        "connections_held", "Idle connections held", "connections", "number of idle connections", group="nginx"
    ),
    keyed_metric(
        "connection_churn",
        "Connections lost and reopened",
        "connections",
        "number of connections lost and reopened",
        group="nginx",
        direction="less_is_better",
        scale="difference",
        margin=1.0,
    ),
    keyed_metric("worker_rss_bytes", "Memory of nginx's workers", "bytes", "memory of nginx's workers", group="nginx"),
    keyed_metric(
        "worker_rss_growth_bytes",
        "Memory growth of nginx's workers under the connections",
        "bytes",
        "memory growth of nginx's workers",
        group="nginx",
        scale="difference",
        margin=_MEBIBYTE,
    ),
    keyed_metric("nginx_cpu_percent", "CPU of nginx, in percent of one core", "%", "CPU of nginx", group="nginx"),
    keyed_metric(
        "memory_available_drop_bytes",
        "Memory taken from the host",
        "bytes",
        "memory taken from the host",
        group="host",
        scale="difference",
        margin=_MEBIBYTE,
    ),
    keyed_metric(
        "slab_growth_bytes",
        "Memory taken by kernel objects (Slab)",
        "bytes",
        "memory taken by kernel objects",
        group="host",
        scale="difference",
        margin=_MEBIBYTE,
    ),
    keyed_metric(
        "kernel_memory_growth_bytes",
        "Memory taken by the kernel in total",
        "bytes",
        "memory taken by the kernel",
        group="host",
        scale="difference",
        margin=_MEBIBYTE,
    ),
)
