"""What the article published, beside the run's own."""

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
    """Of the one number of connections that the article measured."""
    article = (Said(levels={FACTOR: _ARTICLE_ARM}, text=text),)
    return Figure(label=label, where=where, article=article, yours=yours, note=note)


def _slope(line: LevelLine) -> Yours:
    """The same for all arms, so it stands in the largest only."""

    def yours(evidence: Evidence, arm: ArmAnalysis) -> str | None:
        found = slope(evidence, line)
        last = max(evidence.arms, key=lambda one: int(one.levels[FACTOR]))
        if found is None or arm is not last:
            return None
        return f"{digits(found.slope)} bytes ({digits(found.ci_low)} to {digits(found.ci_high)})"

    return yours


FIGURES = (
    _figure("Connections waiting", _STATUS, "100,000", HELD),
    _figure("Connections accepted", _STATUS, "165,539", ACCEPTED),
    _figure(
        "Lost and opened anew: accepted less active",
        _STATUS,
        "65,538",
        CHURN,
        "The article shows the two numbers and says nothing of their difference.",
    ),
    _figure("Requests", _STATUS, "1,095,055", REQUESTS, "In two hours; here since the beginning of the load."),
    _figure("Memory of the workers", "ps after about two hours", "94,600 KB", RSS),
    _figure(
        "Memory of the workers, divided by connections",
        "its summary: about 1 KB",
        "969 bytes",
        RSS_EACH,
        "That counts the processes and the table of worker_connections, which are there without any connection.",
    ),
    _figure("Bytes a connection in nginx, as a slope", "not given", "not given", _slope(RSS_LINE)),
    _figure(
        "Memory taken of the host",
        "vmstat before and after",
        "1,027,304 KB",
        MEMORY,
        "The article's clients were on other machines; with both ends on one host it is twice as many sockets.",
    ),
    _figure("Memory taken, divided by connections", "its summary: less than 10 KB", "10.5 KB", MEMORY_EACH),
    _figure("Bytes a connection in all, as a slope", "not given", "not given", _slope(MEMORY_LINE)),
    _figure("CPU of nginx", "ps after about two hours", "2.0 %", CPU, "The article's whole life, here the window."),
)
