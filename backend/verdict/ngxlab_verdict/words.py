"""Words for intervals (docs/method.md, Words)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

Direction = Literal["more_is_better", "less_is_better", "neutral"]
Scale = Literal["ratio", "difference"]
Word = Literal["better", "worse", "higher", "lower", "equivalent", "undecided"]
Family = Literal["primary", "exploratory"]


class Reason(str):
    """Why there is no interval. It is its English; ``template`` and ``values`` say it in other languages."""

    template: str
    values: Mapping[str, int | str]

    def __new__(cls, template: str, **values: int | str) -> "Reason":
        reason = super().__new__(cls, template.format(**values))
        reason.template, reason.values = template, values
        return reason


def which(*, own: bool) -> str:
    return "this arm" if own else "the baseline"


class Evidence(NamedTuple):
    """What the experiment's own blocks show, whatever was learned before. ``error``: standard error of the estimate, on
    the additive scale. ``level``: this arm's share of the error."""

    error: float
    degrees: float
    level: float


@dataclass(frozen=True)
class Claim:
    """What may be said of one arm in one metric.

    ``estimate``, ``low`` and ``high`` are ratios to the baseline, or differences from it, as ``scale`` says; ``None``
    where there is none, for which ``reason`` is given. ``at_least``: the whole interval lies beyond the margin.
    ``error``: the chance that an interval of this metric misses the truth in any arm, at any look. ``level``: the
    same of a single look, of which the interval is made. ``evidence``: behind the interval. ``chance``: that this
    comparison alone shows as much where there is no change (its p value); it is not shown.
    ``trials``: of the arm and of the baseline, if they were measured apart; then ``pairs`` is the smaller number.
    """

    arm: str
    metric: str
    family: Family
    verdict: Word
    scale: Scale
    estimate: float | None
    low: float | None
    high: float | None
    pairs: int
    at_least: bool = False
    reason: str | None = None
    error: float = 0.05
    level: float = 0.05
    evidence: Evidence | None = None
    chance: float | None = None
    trials: tuple[int, int] | None = None


def confidence(error: float) -> float:
    """The confidence of an interval with this error, in percent with one decimal: 95, 99.5; 99.9 for any smaller."""
    return min(round(100 * (1 - error), 1), 99.9)


def word(estimate: float, low: float, high: float, margin: float, direction: Direction) -> Word:
    """All on an additive scale, where 0 is no change. Exchanging the arms exchanges better and worse."""
    if -margin < low and high < margin:
        return "equivalent"
    if (low > 0 or high < 0) and abs(estimate) > margin:
        return moved(direction, rose=estimate > 0)
    return "undecided"


def moved(direction: Direction, *, rose: bool) -> Word:
    if direction == "neutral":
        return "higher" if rose else "lower"
    return "better" if rose == (direction == "more_is_better") else "worse"
