"""Connections that are held, and the memory they take on the target. Neutral: more connections take more memory."""

from ngxlab.analysis.comparison_metrics.metric import Metric, figure

_MEBIBYTE = float(1 << 20)

IDLE: tuple[Metric, ...] = (
    figure("connections_held", "Idle connections held", "connections", "idle connections held", group="nginx"),
    figure(
        "connection_churn",
        "Connections lost and opened anew",
        "connections",
        "connections lost and opened anew",
        group="nginx",
        direction="less_is_better",
        scale="difference",
        margin=1.0,
    ),
    figure("worker_rss_bytes", "Memory of nginx's workers", "bytes", "memory of nginx's workers", group="nginx"),
    figure(
        "worker_rss_growth_bytes",
        "Memory that connections take of nginx's workers",
        "bytes",
        "memory that connections take of nginx",
        group="nginx",
        scale="difference",
        margin=_MEBIBYTE,
    ),
    figure("nginx_cpu_percent", "CPU of nginx, of one core", "%", "CPU of nginx", group="nginx"),
    figure(
        "memory_available_drop_bytes",
        "Memory taken of the host",
        "bytes",
        "memory taken of the host",
        group="host",
        scale="difference",
        margin=_MEBIBYTE,
    ),
    figure(
        "slab_growth_bytes",
        "Memory taken by kernel objects (Slab)",
        "bytes",
        "memory taken by kernel objects",
        group="host",
        scale="difference",
        margin=_MEBIBYTE,
    ),
    figure(
        "kernel_memory_growth_bytes",
        "Memory taken by the kernel, all in all",
        "bytes",
        "memory taken by the kernel",
        group="host",
        scale="difference",
        margin=_MEBIBYTE,
    ),
)
