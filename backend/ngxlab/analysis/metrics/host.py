"""The target as a whole. Neutral: iowait and load average also rise in an arm that serves more.

In nginx's article "Thread Pools in NGINX Boost Performance 9x!" (2015), the faster arm has twice the iowait.
"""

from ngxlab.analysis.metrics.metric import Metric, keyed_metric

HOST: tuple[Metric, ...] = (
    keyed_metric(
        "iowait_percent",
        "CPUs idle and waiting for the disk (iowait)",
        "%",
        "iowait",
        group="host",
        scale="difference",
        margin=1.0,
    )._replace(ceiling=lambda _: 100),
    keyed_metric("load1", "Load average, 1 min", "tasks", "load average", group="host", scale="difference", margin=0.5),
    keyed_metric("network_in_bits_per_s", "Network in", "bit/s", "network traffic in", group="host"),
    keyed_metric("network_out_bits_per_s", "Network out", "bit/s", "network traffic out", group="host"),
)
