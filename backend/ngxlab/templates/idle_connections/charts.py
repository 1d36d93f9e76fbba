"""The charts of the idle-connections template."""

from ngxlab.analysis.metrics import Metric
from ngxlab.templates.charts import ArmBars, LevelLine, TimeSeries
from ngxlab.templates.idle_connections.quantities import (
    CHURN,
    CPU,
    FACTOR,
    HELD,
    KERNEL,
    MEMORY,
    RSS,
    SLAB,
    lost_many,
)


def _against_n(key: str, title: str, why: str, quantity: Metric, *, regression: bool = True) -> LevelLine:
    return LevelLine(
        key=key,
        title=title,
        why=why,
        quantity=quantity,
        factor=FACTOR,
        variable=FACTOR,
        x_title="Connections",
        regression=regression,
        unfit=lost_many,
    )


RSS_LINE = _against_n(
    "rss",
    "Memory of nginx's workers",
    "The slope is what a connection costs in nginx. The line does not begin at zero: the processes and the table of "
    "worker_connections exist before the first connection.",
    RSS,
)
MEMORY_LINE = _against_n(
    "memory",
    "Memory taken from the host",
    "How much less memory is available than before the load. The slope is the total cost of a connection.",
    MEMORY,
)
SLAB_LINE = _against_n(
    "slab",
    "Memory taken by kernel objects (Slab)",
    "Sockets, files and table entries, which are most of the kernel's share, by the kernel's own count.",
    SLAB,
)
KERNEL_LINE = _against_n(
    "kernel",
    "Memory taken by the kernel in total",
    "Memory taken from the host, less the growth of the processes of nginx and of the generator.",
    KERNEL,
)

CHARTS = (
    _against_n(
        "held",
        "Idle connections held",
        "On the diagonal, as many are held as were opened. Below it, nginx or the generator has lost some.",
        HELD,
        regression=False,
    ),
    RSS_LINE,
    MEMORY_LINE,
    SLAB_LINE,
    KERNEL_LINE,
    _against_n(
        "cpu",
        "CPU of nginx, in percent of one core",
        "Idle connections cost next to nothing; requests do.",
        CPU,
        regression=False,
    ),
    ArmBars(
        key="churn",
        title="Connections lost and reopened",
        why="Accepted less active connections. The article had 65,538 and does not mention them.",
        quantity=CHURN,
    ),
    TimeSeries(
        key="waiting",
        title="Connections over time",
        why="They rise at the set rate while they are opened, and then stay constant.",
        series="nginx_connections",
        lines=("waiting",),
    ),
    TimeSeries(
        key="accepts",
        title="Connections accepted per second",
        why="A connection accepted after the warm-up replaces a lost one.",
        series="accepts_per_s",
    ),
    TimeSeries(
        key="available",
        title="Memory available",
        why="It falls while connections are opened, and then stays constant.",
        series="memory_available_bytes",
    ),
    TimeSeries(
        key="workers",
        title="Memory of each worker",
        why="With reuseport, the kernel gives each worker about the same number of connections.",
        series="worker_memory_bytes",
    ),
)
