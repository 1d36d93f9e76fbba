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
    "The slope is what a connection costs in nginx. The line does not begin at zero: processes and the table of "
    "worker_connections are there before the first connection.",
    RSS,
)
MEMORY_LINE = _against_n(
    "memory",
    "Memory taken of the host",
    "How much less is available than before the load: the slope is what a connection costs in all.",
    MEMORY,
)
SLAB_LINE = _against_n(
    "slab",
    "Memory taken by kernel objects (Slab)",
    "Sockets, files and table entries: the kernel's own count of most of its share.",
    SLAB,
)
KERNEL_LINE = _against_n(
    "kernel",
    "Memory taken by the kernel, all in all",
    "What was taken of the host less what the processes of nginx and of the generator grew by.",
    KERNEL,
)

CHARTS = (
    _against_n(
        "held",
        "Connections waiting at the end",
        "All on the diagonal: as many are held as were opened. Below it, nginx or the generator lost some.",
        HELD,
        regression=False,
    ),
    RSS_LINE,
    MEMORY_LINE,
    SLAB_LINE,
    KERNEL_LINE,
    _against_n("cpu", "CPU of nginx", "Idle connections cost next to nothing; requests do.", CPU, regression=False),
    ArmBars(
        key="churn",
        title="Connections lost and opened anew",
        why="Accepted less active: the article had 65,538 of them and does not mention it.",
        quantity=CHURN,
    ),
    TimeSeries(
        key="waiting",
        title="Connections over time",
        why="They rise at the set rate while connecting, and stay where they are after that.",
        series="nginx_connections",
        lines=("waiting",),
    ),
    TimeSeries(
        key="accepts",
        title="Connections accepted per second",
        why="Anything after the warm-up is a connection that was lost.",
        series="accepts_per_s",
    ),
    TimeSeries(
        key="available",
        title="Memory available",
        why="It falls as connections are opened, and stays.",
        series="memory_available_bytes",
    ),
    TimeSeries(
        key="workers",
        title="Memory of each worker",
        why="With reuseport, the kernel gives each worker about the same number of connections.",
        series="worker_memory_bytes",
    ),
)
