"""The conclusion: bytes per connection, by a line through all trials, and lost connections."""

from collections.abc import Iterator

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.chart_data import Regression
from ngxlab.templates.charts import LevelLine
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.idle_connections.charts import KERNEL_LINE, MEMORY_LINE, RSS_LINE, SLAB_LINE
from ngxlab.templates.idle_connections.quantities import (
    CPU,
    HELD,
    RECONNECTS,
    REQUESTS,
    both_ends_here,
    lost_many,
    planned,
)
from ngxlab.templates.saying import digits, said

_UNDERSTATED = (
    "Available memory falls by less than kernel objects grow, because the kernel counts part of them as memory that it "
    "can reclaim."
)
_UNKNOWN = "The total is too uncertain to divide by: other programs on the host took or released memory meanwhile."
_ARTICLE = "the article had 65,538 and does not mention them"


def conclude(evidence: Evidence) -> list[str]:
    """Whether the connections were held, what they cost, and how many were lost."""
    return [*_held(evidence), *_price(evidence), *_shares(evidence), *_churn(evidence), *_cpu(evidence)]


def slope(evidence: Evidence, line: LevelLine) -> Regression | None:
    """Bytes per connection with their interval; ``None`` with fewer than three trials or two numbers of connections."""
    drawn = line.draw(evidence)
    return drawn.lines[0].regression if drawn is not None else None


def _largest(evidence: Evidence) -> ArmAnalysis | None:
    """The arm with the most connections among those with a usable trial."""
    return max(
        (arm for arm in evidence.arms if evidence.usable(arm)), key=lambda arm: planned(evidence, arm), default=None
    )


def _held(evidence: Evidence) -> Iterator[str]:
    arm = _largest(evidence)
    values = [value.value for value in evidence.measured(arm, HELD).values] if arm is not None else []
    if arm is None or not values:
        return
    wanted, least = planned(evidence, arm), min(values)
    if least >= wanted:
        yield f"All {wanted:,} connections were held to the end in each of {len(values)} trials."
    else:
        yield f"Of {wanted:,} connections, {least:,.0f} were held to the end in the worst of {len(values)} trials."


def _bytes(line: Regression) -> str:
    size = f"{digits(line.slope)} bytes per connection"
    bent = "; the points do not lie on a straight line" if line.curved else ""
    return f"{size} (95 % CI {digits(line.ci_low)} to {digits(line.ci_high)}, {line.points} trials{bent})"


def _price(evidence: Evidence) -> Iterator[str]:
    nginx, whole, slab = (slope(evidence, line) for line in (RSS_LINE, MEMORY_LINE, SLAB_LINE))
    if nginx is not None:
        yield f"nginx needs {_bytes(nginx)}: the slope of its workers' resident memory."
    if whole is not None:
        ends = ", for both ends of it, because both are on this host" if both_ends_here(evidence) else ""
        yield f"Available memory falls by {_bytes(whole)}{ends}."
    if slab is not None:
        yield f"Kernel objects (Slab) take {_bytes(slab)}."
    if nginx is None and whole is None:
        yield "Bytes per connection need at least three trials with different numbers of connections."
    unfit = [arm.label for arm in evidence.arms if lost_many(evidence, arm)]
    if unfit:
        yield f"Bytes per connection leave out arms that held less than 99 % in some trial: {', '.join(unfit)}."


def _shares(evidence: Evidence) -> Iterator[str]:
    """Shares of the total if it is certain enough to divide by; else of what nginx and the kernel count themselves.

    The kernel counts part of Slab, the sockets' inodes among it, as memory that it can reclaim (SReclaimable), so
    MemAvailable may fall by less than Slab grows (Documentation/filesystems/proc.rst).
    """
    nginx, whole, kernel, slab = (slope(evidence, line) for line in (RSS_LINE, MEMORY_LINE, KERNEL_LINE, SLAB_LINE))
    if nginx is None:
        return
    certain = whole is not None and whole.ci_low > whole.slope / 2
    understated = certain and whole is not None and slab is not None and slab.slope > whole.slope
    if whole is not None and kernel is not None and certain and not understated:
        yield f"nginx takes {_percent(nginx, whole.slope)} of the total, the kernel {_percent(kernel, whole.slope)}."
    elif slab is not None and slab.ci_low > 0 and nginx.ci_low > 0:
        both = nginx.slope + slab.slope
        yield (
            f"Of the memory of nginx and kernel objects together, nginx takes {_percent(nginx, both)} and the kernel "
            f"{_percent(slab, both)}. {_UNDERSTATED if understated else _UNKNOWN}"
        )


def _percent(part: Regression, whole: float) -> str:
    return f"{100 * part.slope / whole:.0f} %"


def _churn(evidence: Evidence) -> Iterator[str]:
    """By the generators' own count: nginx's also includes connections that the agent reopened to poll stub_status."""
    lost = [
        (max(value.value for value in reopened.values), arm.label)
        for arm in evidence.arms
        if (reopened := evidence.measured(arm, RECONNECTS)).values
    ]
    if not lost:
        return
    most, label = max(lost)
    if most <= 0:
        yield f"No connection was lost and reopened ({_ARTICLE})."
    else:
        yield f"Up to {most:,.0f} connections were lost and reopened (with {label}); {_ARTICLE}."


def _cpu(evidence: Evidence) -> Iterator[str]:
    arm = _largest(evidence)
    used, requests = evidence.mean(arm, CPU), evidence.mean(arm, REQUESTS)
    if arm is not None and used is not None and requests is not None:
        yield f"nginx used {said(used, '%')} of one core with {arm.label}, which sent {requests:,.0f} requests."
