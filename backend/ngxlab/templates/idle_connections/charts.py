"""The lines of the idle-connections template over the number of connections, and their slopes."""

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.chart_data import Regression
from ngxlab.templates.charts import LevelLine
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.figures import Yours
from ngxlab.templates.idle_connections.quantities import (
    CPU,
    FACTOR,
    HELD,
    KERNEL,
    MEMORY,
    RSS,
    SLAB,
    lost_many,
)
from ngxlab.templates.saying import digits


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

LINES = (
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
)


def slope(evidence: Evidence, line: LevelLine) -> Regression | None:
    """Bytes per connection with their interval.

    ``None`` with fewer than three trials or two numbers of connections, and where a check voids the quantity.
    """
    drawn = line.draw(evidence) if evidence.is_valid(line.quantity) else None
    return drawn.lines[0].regression if drawn is not None else None


def _slope_text(line: LevelLine) -> Yours:
    """The slope is the same for all arms, so only the largest arm shows it."""

    def yours(evidence: Evidence, arm: ArmAnalysis) -> str | None:
        regression = slope(evidence, line)
        last = max(evidence.arms, key=lambda one: int(one.levels[FACTOR]))
        if regression is None or arm is not last:
            return None
        return f"{digits(regression.slope)} bytes ({digits(regression.ci_low)} to {digits(regression.ci_high)})"

    return yours


SLOPES: dict[str, object] = {"nginx_slope": _slope_text(RSS_LINE), "total_slope": _slope_text(MEMORY_LINE)}
