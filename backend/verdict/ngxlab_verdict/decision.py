"""Decides from an interval of one arm in one metric: a claim, or the reason why there is none."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from ngxlab_verdict.experiment import MetricRule, Question
from ngxlab_verdict.words import Claim, Family, word

WIDEST = math.log(1000)
"""A wider interval of a ratio, in either direction, says nothing: it is not given."""


class Interval(NamedTuple):
    """An interval on the additive scale, where 0 is no change."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Decision:
    """What a decision on one metric takes. ``margin`` is on the additive scale."""

    metric: str
    rule: MetricRule
    margin: float

    @classmethod
    def of(cls, metric: str, question: Question) -> "Decision":
        rule = question.rules.get(metric, MetricRule())
        margin = question.margin if rule.margin is None else rule.margin
        return cls(metric, rule, math.log1p(margin) if rule.scale == "ratio" else margin)

    def claim(self, arm: str, family: Family, level: float, interval: Interval, pairs: int) -> Claim:
        estimate, low, high = interval
        if self.rule.scale == "ratio" and max(estimate - low, high - estimate) > WIDEST:
            reason = "the interval spans more than a factor of 1,000"
            return self.undecided(arm, family, reason, estimate, pairs)
        low, high = self._possible(low, high)
        direction = self.rule.direction if family == "primary" else "neutral"
        ratio = self.rule.scale == "ratio"
        return Claim(
            arm=arm,
            metric=self.metric,
            family=family,
            verdict=word(estimate, low, high, self.margin, direction),
            scale=self.rule.scale,
            estimate=math.exp(estimate) if ratio else estimate,
            low=math.exp(low) if ratio else low,
            high=math.exp(high) if ratio else high,
            pairs=pairs,
            at_least=low > self.margin or high < -self.margin,
            level=level,
        )

    def undecided(self, arm: str, family: Family, reason: str, estimate: float | None, pairs: int) -> Claim:
        """``estimate`` on the additive scale; one of a ratio beyond 1,000 is not shown."""
        if estimate is not None and self.rule.scale == "ratio":
            estimate = math.exp(estimate) if abs(estimate) <= WIDEST else None
        return Claim(
            arm, self.metric, family, "undecided", self.rule.scale, estimate, None, None, pairs, reason=reason
        )  # fmt: skip

    def _possible(self, low: float, high: float) -> tuple[float, float]:
        """A difference cannot exceed that of the greatest and the smallest possible value."""
        if self.rule.scale == "ratio":
            return low, high
        span = self.rule.highest - self.rule.lowest
        return max(low, -span), min(high, span)
