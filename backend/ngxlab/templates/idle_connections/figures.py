"""What the article published, beside the run's own values."""

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.charts import LevelLine
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.figures import Figure, Said, Yours
from ngxlab.templates.idle_connections.charts import MEMORY_LINE, RSS_LINE
from ngxlab.templates.idle_connections.conclusion import slope
from ngxlab.templates.idle_connections.quantities import (
    ACCEPTED,
    CHURN,
    CPU,
    FACTOR,
    HELD,
    MEMORY,
    MEMORY_EACH,
    REQUESTS,
    RSS,
    RSS_EACH,
)
from ngxlab.templates.saying import digits

_STATUS = "stub_status after about two hours"
_ARTICLE_ARM = "100000"


def _figure(label: str, where: str, text: str, yours: Yours, note: str = "") -> Figure:
    """A figure of the one number of connections that the article measured."""
    article = (Said(levels={FACTOR: _ARTICLE_ARM}, text=text),)
    return Figure(label=label, where=where, article=article, yours=yours, note=note)


def _slope(line: LevelLine) -> Yours:
    """The slope is the same for all arms, so only the largest arm shows it."""

    def yours(evidence: Evidence, arm: ArmAnalysis) -> str | None:
        regression = slope(evidence, line)
        last = max(evidence.arms, key=lambda one: int(one.levels[FACTOR]))
        if regression is None or arm is not last:
            return None
        return f"{digits(regression.slope)} bytes ({digits(regression.ci_low)} to {digits(regression.ci_high)})"

    return yours


FIGURES = (
    _figure("Idle connections held", _STATUS, "100,000", HELD),
    _figure("Connections accepted", _STATUS, "165,539", ACCEPTED),
    _figure(
        "Connections lost and reopened (accepted less active)",
        _STATUS,
        "65,538",
        CHURN,
        "The article shows the two numbers without mentioning their difference.",
    ),
    _figure("Requests", _STATUS, "1,095,055", REQUESTS, "In two hours; here since the start of the load."),
    _figure("Memory of nginx's workers", "ps after about two hours", "94,600 KB", RSS),
    _figure(
        "Memory of nginx's workers, divided by connections",
        "its summary: about 1 KB",
        "969 bytes",
        RSS_EACH,
        "This includes the processes and the table of worker_connections, which exist without any connection.",
    ),
    _figure("Bytes per connection in nginx, as a slope", "not given", "not given", _slope(RSS_LINE)),
    _figure(
        "Memory taken from the host",
        "vmstat before and after",
        "1,027,304 KB",
        MEMORY,
        "The article's clients were on other machines; with both ends on one host there are twice as many sockets.",
    ),
    _figure("Memory taken, divided by connections", "its summary: less than 10 KB", "10.5 KB", MEMORY_EACH),
    _figure("Bytes per connection in total, as a slope", "not given", "not given", _slope(MEMORY_LINE)),
    _figure(
        "CPU of nginx, in percent of one core",
        "ps after about two hours",
        "2.0 %",
        CPU,
        "The article's value covers the process's whole life, this one the measured window.",
    ),
)
