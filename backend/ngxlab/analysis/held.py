"""How much of a difference in memory comes from the number of connections that were held."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_verdict.quantiles import t_quantile

from ngxlab.analysis.schemas import ArmAnalysis, MetricKey
from ngxlab.analysis.shares import MOST_OF, SURELY

HELD: MetricKey = "connections_held"
MEMORY: frozenset[MetricKey] = frozenset(
    {
        "worker_rss_growth_bytes",
        "memory_available_drop_bytes",
        "slab_growth_bytes",
        "kernel_memory_growth_bytes",
    }
)
"""What grows while connections are opened."""
_DIFFERENT = 0.1
"""Numbers of connections that differ by less are alike: a few are lost in any trial."""
_ERROR = 0.05 / 2
"""Of each of two intervals that hold at once."""
_AS_MANY = "No cause found for `{arm}`: it holds as many connections as `{other}`, or a tenth more or fewer at most."
_TOO_FEW_NUMBERS = (
    "No cause found for `{arm}`: it takes other arms with different numbers of connections to know what each one takes."
)
_ANOTHER_PART = (
    "No cause found for `{arm}`: by what each connection takes in the other arms, the number of connections accounts "
    "for {share:.0f} % of the difference."
)
_UNCERTAIN = (
    "No cause found for `{arm}`: by the other arms it is too uncertain what each connection takes, or how large the "
    "difference is."
)


class HeldShare(NamedTuple):
    """``more``: connections more than the baseline holds. ``each``: bytes that one takes, by all arms but the one that
    is explained, whose memory proves nothing about itself. ``share``: what so many take, of the difference; ``low``:
    surely so much (95 %)."""

    more: float
    each: float
    share: float
    low: float

    @property
    def is_near(self) -> bool:
        return MOST_OF <= self.share <= 1 / MOST_OF

    @property
    def is_most(self) -> bool:
        return self.is_near and self.low >= SURELY


def holds_another_number(arm: ArmAnalysis, base: ArmAnalysis) -> bool:
    """Whether an arm held another number of connections than the baseline, in each block."""
    own, theirs = _values(arm, HELD), _values(base, HELD)
    common = own.keys() & theirs.keys()
    return bool(common) and all(_differ([own[block], theirs[block]]) for block in common)


def held_share(
    metric: MetricKey, arm: ArmAnalysis, base: ArmAnalysis, others: Sequence[ArmAnalysis]
) -> HeldShare | None:
    """``None`` where the other arms, of which the baseline is one, do not say what a connection takes. Each block says
    it once: so Student's interval holds, whatever the arms of a block share."""
    slopes = _slopes([(_values(one, HELD), _values(one, metric)) for one in others])
    more, grown = (_more(one, arm, base) for one in (HELD, metric))
    if min(len(slopes), len(more), len(grown)) < 2:
        return None
    each, of_all, whole = float(np.mean(slopes)), float(np.mean(more)), float(np.mean(grown))
    if whole == 0:
        return None
    sign = np.sign(each * of_all * whole)
    surely = max(0.0, abs(each) - _half_width(slopes)) * abs(of_all)
    return HeldShare(of_all, each, each * of_all / whole, float(sign * surely / (abs(whole) + _half_width(grown))))


def without_cause(metric: MetricKey, arm: ArmAnalysis, base: ArmAnalysis, others: Sequence[ArmAnalysis]) -> Sentence:
    """Why the number of connections is not said to be the cause of a difference in memory."""
    if not holds_another_number(arm, base):
        return say(_AS_MANY, arm=arm.label, other=base.label)
    share = held_share(metric, arm, base, others)
    if share is None:
        return say(_TOO_FEW_NUMBERS, arm=arm.label)
    if share.is_near:
        return say(_UNCERTAIN, arm=arm.label)
    return say(_ANOTHER_PART, arm=arm.label, share=100 * share.share)


def _slopes(arms: Sequence[tuple[Mapping[int, float], Mapping[int, float]]]) -> list[float]:
    """Bytes a connection in each block, by all arms that tell both there."""
    found = []
    for block in sorted({block for held, _ in arms for block in held}):
        points = [(held[block], memory[block]) for held, memory in arms if block in held and block in memory]
        if _differ([held for held, _ in points]):
            numbers, bytes_held = np.array(points).T
            found.append(float(np.polyfit(numbers, bytes_held, 1)[0]))
    return found


def _differ(numbers: Sequence[float]) -> bool:
    return len(numbers) > 1 and max(numbers) - min(numbers) >= _DIFFERENT * max(numbers) > 0


def _more(metric: MetricKey, arm: ArmAnalysis, base: ArmAnalysis) -> list[float]:
    own, theirs = _values(arm, metric), _values(base, metric)
    return [own[block] - theirs[block] for block in sorted(own.keys() & theirs.keys())]


def _values(arm: ArmAnalysis, metric: MetricKey) -> dict[int, float]:
    return {value.block: value.value for one in arm.metrics if one.metric == metric for value in one.values}


def _half_width(values: Sequence[float]) -> float:
    return float(t_quantile(_ERROR, len(values) - 1.0) * np.std(values, ddof=1) / np.sqrt(len(values)))
