"""Which rates are known to meet a goal, and which not to, by the rules of MLRsearch (draft-ietf-bmwg-mlrsearch).

A single step may mislead, so durations are summed: a rate is a bound once no result of the steps still missing from
``DURATION_SUM`` could change what it is. Up to ``EXCEED_RATIO`` of that sum may miss the goal at a rate that meets it.
A step shorter than the full duration never makes a rate a lower bound: queues need time to fill. With these two
numbers one full step that meets the goal makes a lower bound, and it takes two that miss it to make an upper one: a
stall looks like a miss, and nothing looks like a success.

The draft sums steps of the same rate. Here nearly each step has a rate of its own, so a miss also counts against all
higher rates, and a success for all lower ones.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

Result = Literal["met", "missed", "void"]

EXCEED_RATIO = 0.5
DURATION_SUM = 2.0


class Tried(NamedTuple):
    """One step. ``weight``: its planned duration as a share of the full one, up to 1."""

    per_s: float
    weight: float
    result: Result

    @property
    def is_full(self) -> bool:
        return self.weight >= 1


def relevant_bounds(steps: Sequence[Tried]) -> tuple[float | None, float | None]:
    """The highest rate known to meet the goal below the lowest one known not to, and that one. Where a higher rate met
    the goal and a lower one missed it (loss inversion), the lower one counts."""
    rates = sorted({step.per_s for step in steps})
    upper = next((rate for rate in rates if classify(rate, steps) == "upper"), None)
    below = [rate for rate in rates if (upper is None or rate < upper) and classify(rate, steps) == "lower"]
    return (below[-1] if below else None), upper


def classify(per_s: float, steps: Iterable[Tried]) -> Literal["lower", "upper", "undecided"]:
    """What ``per_s`` is, whatever the steps still missing would say. Void steps say nothing."""
    good_full = good_short = bad_full = bad_short = 0.0
    for step in steps:
        if step.result == "met" and step.per_s >= per_s:
            good_full += step.weight * step.is_full
            good_short += step.weight * (not step.is_full)
        elif step.result == "missed" and step.per_s <= per_s:
            bad_full += step.weight * step.is_full
            bad_short += step.weight * (not step.is_full)
    bad = bad_full + max(0.0, bad_short - good_short * EXCEED_RATIO / (1 - EXCEED_RATIO))
    whole = max(good_full + bad, DURATION_SUM)
    if bad > whole * EXCEED_RATIO:
        return "upper"
    if whole - good_full <= whole * EXCEED_RATIO:
        return "lower"
    return "undecided"
