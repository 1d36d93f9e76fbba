"""What the idle-connections template answers: bytes a connection by a line through all trials, and who was lost."""

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
    "Memory available falls by less than kernel objects grow, as the kernel counts part of them as memory it could "
    "take back."
)
_UNKNOWN = (
    "The whole is not known well enough to divide by it: other programs on the host took or gave back memory meanwhile."
)
_ARTICLE = "the article had 65,538, and does not mention them"


def conclude(evidence: Evidence) -> list[str]:
    """Were they held, at what price, and how many were lost."""
    return [*_held(evidence), *_price(evidence), *_shares(evidence), *_churn(evidence), *_cpu(evidence)]


def slope(evidence: Evidence, line: LevelLine) -> Regression | None:
    """Bytes a connection with their interval; ``None`` with fewer than three trials or two numbers of connections."""
    drawn = line.draw(evidence)
    return drawn.lines[0].regression if drawn is not None else None


def _largest(evidence: Evidence) -> ArmAnalysis | None:
    """The largest arm with a trial that counts."""
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


def _bytes(found: Regression) -> str:
    size = f"{digits(found.slope)} bytes a connection"
    return f"{size} (95 % CI {digits(found.ci_low)} to {digits(found.ci_high)}, {found.points} trials)"


def _price(evidence: Evidence) -> Iterator[str]:
    nginx, whole, slab = (slope(evidence, line) for line in (RSS_LINE, MEMORY_LINE, SLAB_LINE))
    if nginx is not None:
        yield f"In nginx they take {_bytes(nginx)}: the slope of its workers' resident memory."
    if whole is not None:
        ends = ", for both ends of it as both are on this host" if both_ends_here(evidence) else ""
        yield f"The memory available to programs falls by {_bytes(whole)}{ends}."
    if slab is not None:
        yield f"Kernel objects (Slab) take {_bytes(slab)}."
    if nginx is None and whole is None:
        yield "Bytes a connection need three trials or more with different numbers of connections."
    unfit = [arm.label for arm in evidence.arms if lost_many(evidence, arm)]
    if unfit:
        yield f"Left out of the bytes a connection, as less than 99 % were held in some trial: {', '.join(unfit)}."


def _shares(evidence: Evidence) -> Iterator[str]:
    """Of the whole, where that is known well enough to divide by; else of what nginx and the kernel tell themselves.

    The kernel counts part of Slab, the sockets' inodes among it, as memory it could take back (SReclaimable), so that
    MemAvailable may fall by less than Slab grows (Documentation/filesystems/proc.rst).
    """
    nginx, whole, kernel, slab = (slope(evidence, line) for line in (RSS_LINE, MEMORY_LINE, KERNEL_LINE, SLAB_LINE))
    if nginx is None:
        return
    known = whole is not None and whole.ci_low > whole.slope / 2
    understated = known and whole is not None and slab is not None and slab.slope > whole.slope
    if whole is not None and kernel is not None and known and not understated:
        yield f"nginx's share of all is {_percent(nginx, whole.slope)}, the kernel's {_percent(kernel, whole.slope)}."
    elif slab is not None and slab.ci_low > 0 and nginx.ci_low > 0:
        both = nginx.slope + slab.slope
        yield (
            f"Of nginx and kernel objects together, nginx has {_percent(nginx, both)}, the kernel "
            f"{_percent(slab, both)}. {_UNDERSTATED if understated else _UNKNOWN}"
        )


def _percent(part: Regression, whole: float) -> str:
    return f"{100 * part.slope / whole:.0f} %"


def _churn(evidence: Evidence) -> Iterator[str]:
    """By the generators' own count: nginx's also has what the agent itself opened anew to read the status page."""
    lost = [
        (max(value.value for value in found.values), arm.label)
        for arm in evidence.arms
        if (found := evidence.measured(arm, RECONNECTS)).values
    ]
    if not lost:
        return
    most, label = max(lost)
    if most <= 0:
        yield f"No connection was lost and opened anew ({_ARTICLE})."
    else:
        yield f"Up to {most:,.0f} connections were lost and opened anew (with {label}); {_ARTICLE}."


def _cpu(evidence: Evidence) -> Iterator[str]:
    arm = _largest(evidence)
    used, requests = evidence.mean(arm, CPU), evidence.mean(arm, REQUESTS)
    if arm is not None and used is not None and requests is not None:
        yield f"nginx used {said(used, '%')} of a core with {arm.label}, which sent {requests:,.0f} requests."
