"""A quantity of one arm, or the quotient of two, with its interval."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from ngxlab_contracts.sentences import Sentence, say

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.statistics.paired import t_quantile
from ngxlab.templates.saying import said

Decided = Literal["yes", "no", "undecided"]


class Estimate(NamedTuple):
    """A mean over trials with Student's interval; ``None`` for its ends with a single trial, or if all are alike."""

    mean: float
    low: float | None
    high: float | None
    trials: int

    def at_least(self, limit: float) -> Decided:
        """Whether the interval lies on one side of ``limit``, and on which."""
        if self.low is None or self.high is None:
            return "undecided"
        return "yes" if self.low >= limit else "no" if self.high < limit else "undecided"

    def text(self, unit: str) -> Sentence:
        """``3.1 ms (95 % CI 2.9 ms to 3.3 ms, n = 5 trials)``."""
        trials = say("n = {trials} trials" if self.trials != 1 else "n = {trials} trial", trials=self.trials)
        if self.low is None or self.high is None:
            return say("{mean} ({trials}, no interval)", mean=said(self.mean, unit), trials=trials)
        return say(
            "{mean} (95 % CI {low} to {high}, {trials})",
            mean=said(self.mean, unit),
            low=said(self.low, unit),
            high=said(self.high, unit),
            trials=trials,
        )


def estimate(values: Sequence[float], *, ratio: bool = True, error: float = 0.05) -> Estimate | None:
    """``None`` without values. ``ratio``: geometric, as arms are compared in this quantity by ratio; all values > 0.

    An arithmetic interval does not reach below zero where no value does: shares and counts are not negative.
    """
    if not values:
        return None
    logarithmic = ratio and min(values) > 0
    numbers = np.log(values) if logarithmic else np.asarray(values, np.float64)
    mean = float(numbers.mean())
    scale = math.exp if logarithmic else float
    spread = float(numbers.std(ddof=1)) if len(values) > 1 else 0.0
    if spread == 0:
        return Estimate(scale(mean), None, None, len(values))
    half = t_quantile(len(values) - 1, 1 - error / 2) * spread / math.sqrt(len(values))
    low, high = scale(mean - half), scale(mean + half)
    return Estimate(scale(mean), low if min(values) < 0 else max(0.0, low), high, len(values))


def quotient(trials: Sequence[TrialSummary], of: Metric, to: Metric, *, error: float) -> Estimate | None:
    """How many times as large one quantity is as another of the same trial; ``None`` where no trial has both."""
    both = [(of.value(trial), to.value(trial)) for trial in trials]
    return estimate([a / b for a, b in both if a is not None and b is not None and a > 0 and b > 0], error=error)
