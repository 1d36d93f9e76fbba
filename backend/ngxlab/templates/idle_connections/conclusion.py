"""The conclusion: bytes per connection, by a line through all trials, and lost connections."""

import math
from collections.abc import Iterator, Sequence

from ngxlab_contracts.sentences import Sentence, fixed, listed, say

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.chart_data import Regression
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.idle_connections.charts import KERNEL_LINE, MEMORY_LINE, RSS_LINE, SLAB_LINE, slope
from ngxlab.templates.idle_connections.quantities import (
    CPU,
    HELD,
    RECONNECTS,
    REQUESTS,
    both_ends_here,
    lost_many,
    planned,
)
from ngxlab.templates.saying import digits

_UNDERSTATED = say(
    "Available memory falls by less than kernel objects grow, because the kernel counts part of them as memory that it "
    "can reclaim."
)
_UNKNOWN = say(
    "The total is too uncertain to divide by: other programs on the host may have taken or released memory meanwhile."
)
_ARTICLE = say("the article had 65,538 and does not mention them")


def conclude(evidence: Evidence) -> list[Sentence]:
    """Whether the connections were held, what they cost, and how many were lost."""
    return [*_held(evidence), *_price(evidence), *_shares(evidence), *_churn(evidence), *_cpu(evidence)]


def _largest(evidence: Evidence) -> ArmAnalysis | None:
    """The arm with the most connections among those with a usable trial."""
    return max(
        (arm for arm in evidence.arms if evidence.usable(arm)), key=lambda arm: planned(evidence, arm), default=None
    )


def _held(evidence: Evidence) -> Iterator[Sentence]:
    """Counted in single trials."""
    arm = _largest(evidence)
    values = evidence.values(arm, HELD) if arm is not None else []
    if arm is None or not values:
        return
    wanted, least, trials = planned(evidence, arm), min(values), len(values)
    if least >= wanted:
        where = say("each of {trials} trials" if trials > 1 else "the only trial", trials=trials)
        yield say("All {wanted:,} connections were held to the end in {where}.", wanted=wanted, where=where)
    else:
        where = say("the worst of {trials} trials" if trials > 1 else "the only trial", trials=trials)
        yield say(
            "Of {wanted:,} connections, {least:,.0f} were held to the end in {where}.",
            wanted=wanted,
            least=least,
            where=where,
        )


def growth(subject: str, rises: str, falls: str, line: Regression, more: str = "") -> Sentence:
    """The verb that the whole interval supports, with sizes that have no sign. ``more``: after a decided statement."""
    bent = say("; the points do not lie on a straight line") if line.curved else ""
    trials = say("{points} trials{bent}", points=line.points, bent=bent)
    if line.ci_low < 0 < line.ci_high:
        reach = say(
            'from "{falls} {least}" to "{rises} {most} bytes per connection"',
            falls=fixed(falls),
            least=digits(-line.ci_low),
            rises=fixed(rises),
            most=digits(line.ci_high),
        )
        return say(
            "Exploratory, undecided: {subject}: the 95 % CI reaches {reach} ({trials}).",
            subject=subject,
            reach=reach,
            trials=trials,
        )
    verb, sizes = (rises, (line.slope, line.ci_low, line.ci_high))
    if line.slope < 0:
        verb, sizes = (falls, (-line.slope, -line.ci_high, -line.ci_low))
    size, low, high = map(digits, sizes)
    return say(
        "Exploratory: {subject} {verb} {size} bytes per connection (95 % CI {low} to {high}, {trials}){more}.",
        subject=subject,
        verb=fixed(verb),
        size=size,
        low=low,
        high=high,
        trials=trials,
        more=more,
    )


def _price(evidence: Evidence) -> Iterator[Sentence]:
    nginx, whole, slab = (slope(evidence, line) for line in (RSS_LINE, MEMORY_LINE, SLAB_LINE))
    if nginx is not None:
        slope_of = say(": the slope of its workers' resident memory")
        yield growth("nginx", rises="needs", falls="releases", line=nginx, more=slope_of)
    if whole is not None:
        ends = say(", for both ends of it, because both are on this host") if both_ends_here(evidence) else ""
        yield growth(say("available memory"), rises="falls by", falls="rises by", line=whole, more=ends)
    if slab is not None:
        yield growth(say("kernel objects (Slab)"), rises="take", falls="release", line=slab)
    valid = evidence.is_valid(RSS_LINE.quantity) and evidence.is_valid(MEMORY_LINE.quantity)
    if nginx is None and whole is None and valid:
        yield say("Bytes per connection need at least three trials with different numbers of connections.")
    unfit = [arm.label for arm in evidence.arms if lost_many(evidence, arm)]
    if unfit:
        yield say(
            "Bytes per connection leave out arms that held less than 99 % in some trial: {unfit}.",
            unfit=listed(unfit),
        )


def _shares(evidence: Evidence) -> Iterator[Sentence]:
    """Shares of the total if it is certain enough to divide by; else of what nginx and the kernel count themselves.

    A total that does not grow, or not along a line, is not that of the connections, whatever its interval: that holds
    between blocks, and strangers may take memory in the same arm of each.

    The kernel counts part of Slab, the sockets' inodes among it, as memory that it can reclaim (SReclaimable), so
    MemAvailable may fall by less than Slab grows (Documentation/filesystems/proc.rst).
    """
    nginx, whole, kernel, slab = (slope(evidence, line) for line in (RSS_LINE, MEMORY_LINE, KERNEL_LINE, SLAB_LINE))
    if nginx is None or nginx.ci_low <= 0:
        return
    if whole is not None and (whole.ci_low <= 0 or whole.curved):
        whole = None
    understated = whole is not None and slab is not None and slab.ci_low > whole.ci_high
    if whole is not None and kernel is not None and not understated:
        shares = say(
            "nginx takes {nginx} of the total, the kernel {kernel}",
            nginx=_percent(nginx, [whole]),
            kernel=_percent(kernel, [whole]),
        )
        yield say("Exploratory: {shares} (from the ends of the intervals).", shares=shares)
    elif slab is not None and slab.ci_low > 0:
        yield say(
            "Exploratory: of the memory of nginx and kernel objects together, nginx takes {nginx} "
            "and the kernel {kernel} (from the ends of the intervals). {understated}",
            nginx=_percent(nginx, [slab], part_of=True),
            kernel=_percent(slab, [nginx], part_of=True),
            understated=_UNDERSTATED if understated else _UNKNOWN,
        )


def _percent(part: Regression, others: Sequence[Regression], *, part_of: bool = False) -> Sentence:
    """The range of a share that the intervals allow. ``part_of``: of the part and the others together."""
    low = part.ci_low / (math.fsum(one.ci_high for one in others) + (part.ci_low if part_of else 0))
    high = part.ci_high / (math.fsum(one.ci_low for one in others) + (part.ci_high if part_of else 0))
    least, most = (f"{100 * min(1.0, max(0.0, end)):.0f} %" for end in (low, high))
    return say("{low} to {high}", low=least, high=most) if least != most else say("{share}", share=least)


def _churn(evidence: Evidence) -> Iterator[Sentence]:
    """By the generators' own count: nginx's also includes connections that the agent reopened to poll stub_status."""
    lost = [(max(values), arm.label) for arm in evidence.arms if (values := evidence.values(arm, RECONNECTS))]
    if not lost:
        return
    most, label = max(lost)
    if most <= 0:
        yield say("No connection was lost and reopened ({article}).", article=_ARTICLE)
    else:
        yield say(
            "Up to {most:,.0f} connections of a trial were lost and reopened (with `{label}`); {article}.",
            most=most,
            label=label,
            article=_ARTICLE,
        )


def _cpu(evidence: Evidence) -> Iterator[Sentence]:
    arm = _largest(evidence)
    used, requests = evidence.estimate(arm, CPU), evidence.mean(arm, REQUESTS)
    if arm is not None and used is not None and requests is not None:
        sent = say("`{arm}`, which sent {requests:,.0f} requests a trial", arm=arm.label, requests=requests)
        yield say("nginx's CPU in percent of one core: {used} with {sent}.", used=used.text("%"), sent=sent)
