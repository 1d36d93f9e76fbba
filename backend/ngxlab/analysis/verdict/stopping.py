"""Has a run measured enough to stop (docs/method.md, Stop rule)?"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ngxlab_verdict.power import MAX_BLOCKS

from ngxlab.analysis.schemas import ArmAnalysis, ArmMetric, Comparison, RunAnalysis, StopCode


class Stop(NamedTuple):
    """``why`` ends the sentence "Ended after block 7 of at most 20: "."""

    code: StopCode
    why: str


def decided_or_hopeless(analysis: RunAnalysis, hopeless_percent: float) -> Stop | None:
    """``None`` while a primary question is open that has a chance to be decided within the most blocks of the plan.

    What a check voids, and what cannot be compared, no blocks decide. An open question of which the chance is not
    known, as it has no interval, is no reason to end.
    """
    asked = list(_primary(analysis.arms))
    undecided = [comparison for comparison in asked if comparison.verdict == "undecided"]
    if asked and not undecided:
        return Stop("decided", "no primary question is open.")
    chances = [comparison.chance for comparison in undecided]
    known = [100 * chance for chance in chances if chance is not None]
    if not known or len(known) < len(chances) or max(known) >= hopeless_percent:
        return None
    return Stop("hopeless", f"no open question has a chance of {hopeless_percent:g} % to be decided by then.")


def more_blocks_wanted(arms: Iterable[ArmAnalysis]) -> int | None:
    """About how many more blocks the open primary questions take, whatever their answers turn out to be."""
    wanted = []
    for comparison in _primary(arms):
        known = [more for more in (comparison.more_blocks, comparison.blocks_for_none) if more is not None]
        if known and min(known) < MAX_BLOCKS:
            wanted.append(min(known))
    return max(wanted, default=None)


def precise_enough(analysis: RunAnalysis, metric: str, half_width_percent: float) -> tuple[bool, float | None]:
    """Whether the half width of every arm's 95 % interval is at most ``half_width_percent`` of its estimate.

    Returns the widest half width too, in percent; ``None`` if an arm has no interval, which counts as not precise,
    and so does one of fewer than ``MIN_PAIRS`` pairs.
    """
    compared = [own for arm in analysis.arms if not arm.is_baseline for own in arm.metrics if own.metric == metric]
    widths = [_half_width_percent(own) for own in compared]
    measured = [width for width in widths if width is not None]
    if not widths or len(measured) < len(widths):
        return False, None
    enough = all(own.comparison is not None and own.comparison.pairs >= MIN_PAIRS for own in compared)
    return enough and max(measured) <= half_width_percent, max(measured)


MIN_PAIRS = 5
"""Stopping at fewer pairs selects those that happen to lie close together: 92 % of such intervals hold the truth."""


def _primary(arms: Iterable[ArmAnalysis]) -> Iterator[Comparison]:
    """Those of streams too."""
    for arm in arms:
        for own in [*arm.metrics, *(one for stream in arm.streams for one in stream.metrics)]:
            if own.comparison is not None and own.comparison.family == "primary":
                yield own.comparison


def _half_width_percent(own: ArmMetric) -> float | None:
    comparison = own.comparison
    if comparison is None or comparison.ci_low is None or comparison.ci_high is None or comparison.scale != "ratio":
        return None
    return 100 * (comparison.ci_high - comparison.ci_low) / 2 / comparison.estimate
