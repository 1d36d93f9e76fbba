"""The procedure: from the values of an experiment to a claim for each arm and metric."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ngxlab_verdict.coarse import rank_interval
from ngxlab_verdict.comparisons import Comparisons, compare
from ngxlab_verdict.design import Floats
from ngxlab_verdict.experiment import Experiment, MetricRule, Question
from ngxlab_verdict.first_look import undecided_before_first
from ngxlab_verdict.shares import ERROR, Shares
from ngxlab_verdict.usable import Usable, usable
from ngxlab_verdict.words import Claim, Evidence, Family, word

_WIDEST = math.log(1000)
"""A wider interval of a ratio, in either direction, says nothing: it is not given."""


def judge(experiment: Experiment, question: Question) -> list[Claim]:
    """Metric by metric in the order of the experiment, arm by arm. Raises ValueError for an unknown primary metric.

    The primary metrics are one family: all their claims together are wrong with a probability of at most 5 %. Every
    other metric stands alone: its 95 % interval is not adjusted, and its words do not say what is better. With
    ``question.looks`` both hold at all looks together.
    """
    primary = list(experiment.metrics if question.primary is None else question.primary)
    if unknown := [metric for metric in primary if metric not in experiment.metrics]:
        raise ValueError(f"unknown metric {unknown[0]!r}")
    shares = Shares(len(primary), ordered=question.primary is not None, error=ERROR - question.spent)
    claims: dict[str, list[Claim]] = {}
    for metric in primary:
        claims[metric] = _claims(experiment, metric, question, "primary", shares.next())
        shares.tell(complete=all(claim.verdict != "undecided" for claim in claims[metric]))
    for metric in experiment.metrics:
        if metric not in claims:
            claims[metric] = _claims(experiment, metric, question, "exploratory", ERROR)
    return [claim for metric in experiment.metrics for claim in claims[metric]]


def _claims(experiment: Experiment, metric: str, question: Question, family: Family, error: float) -> list[Claim]:
    claims = _metric(experiment, metric, question).claims(family, question.level(error))
    return undecided_before_first(claims, question.looks)


def _metric(experiment: Experiment, metric: str, question: Question) -> "_Metric":
    rule = question.rules.get(metric, MetricRule())
    measured = experiment.values[experiment.metrics.index(metric)]
    margin = question.margin if rule.margin is None else rule.margin
    return _Metric(metric, experiment.arms, measured, rule, math.log1p(margin) if rule.scale == "ratio" else margin)


@dataclass(frozen=True)
class _Metric:
    """``measured[arm, block]``; ``margin`` on the additive scale."""

    name: str
    arms: Sequence[str]
    measured: Floats
    rule: MetricRule
    margin: float

    def claims(self, family: Family, level: float) -> list[Claim]:
        cells = usable(self.measured, self.rule.scale)
        able = len(cells.arms) + len(cells.coarse)
        each = level / able if family == "primary" and able else level
        rest = each * len(cells.arms) if family == "primary" else level
        judged = dict(self._judged(cells, family, rest)) if cells.arms else {}
        ranked = {arm: self._ranked(arm, family, each) for arm in cells.coarse}
        undecided = {arm: self._undecided(arm, family, reason) for arm, reason in cells.reasons.items()}
        by_arm = judged | ranked | undecided
        return [by_arm[arm] for arm in range(1, len(self.arms))]

    def _ranked(self, arm: int, family: Family, level: float) -> Claim:
        """Of coarse values. Such arms share the metric's error with the others by Bonferroni's bound."""
        both = ~np.isnan(self.measured[[0, arm]]).any(axis=0)
        interval = rank_interval(self.measured[arm][both], self.measured[0][both], self.rule.scale, level)
        if isinstance(interval, str):
            return self._undecided(arm, family, interval)
        return self._claim(arm, family, level, interval)

    def _judged(self, cells: Usable, family: Family, level: float) -> Iterator[tuple[int, Claim]]:
        compared: Comparisons = compare(cells.values, cells.present)
        lows, highs = compared.simultaneous(level) if family == "primary" else compared.plain(level)
        own = compared.own_levels(level) if family == "primary" else np.full(len(lows), level)
        evidence = map(Evidence, compared.errors.tolist(), compared.degrees.tolist(), own.tolist())
        for arm, *interval, behind in zip(cells.arms, compared.estimates, lows, highs, evidence, strict=True):
            yield arm, replace(self._claim(arm, family, level, tuple(map(float, interval))), evidence=behind)

    def _claim(self, arm: int, family: Family, level: float, interval: tuple[float, ...]) -> Claim:
        """``interval``: the estimate, the low and the high end, on the additive scale."""
        estimate, low, high = interval
        if self.rule.scale == "ratio" and max(estimate - low, high - estimate) > _WIDEST:
            return self._undecided(arm, family, "the interval spans more than a factor of 1,000", estimate)
        low, high = self._possible(low, high)
        direction = self.rule.direction if family == "primary" else "neutral"
        ratio = self.rule.scale == "ratio"
        return Claim(
            arm=self.arms[arm],
            metric=self.name,
            family=family,
            verdict=word(estimate, low, high, self.margin, direction),
            scale=self.rule.scale,
            estimate=math.exp(estimate) if ratio else estimate,
            low=math.exp(low) if ratio else low,
            high=math.exp(high) if ratio else high,
            pairs=self._pairs(arm),
            at_least=low > self.margin or high < -self.margin,
            level=level,
        )

    def _undecided(self, arm: int, family: Family, reason: str, estimate: float | None = None) -> Claim:
        if estimate is None:
            estimate = self._paired_estimate(arm)
        if estimate is not None and self.rule.scale == "ratio" and abs(estimate) > _WIDEST:
            estimate = None
        shown = math.exp(estimate) if estimate is not None and self.rule.scale == "ratio" else estimate
        return Claim(
            self.arms[arm], self.name, family, "undecided", self.rule.scale, shown, None, None, self._pairs(arm),
            reason=reason,
        )  # fmt: skip

    def _paired_estimate(self, arm: int) -> float | None:
        both = ~np.isnan(self.measured[[0, arm]]).any(axis=0)
        own, base = self.measured[arm][both], self.measured[0][both]
        if not both.any():
            return None
        if self.rule.scale == "difference":
            return float(np.mean(own - base))
        return float(np.mean(np.log(own / base))) if (own > 0).all() and (base > 0).all() else None

    def _possible(self, low: float, high: float) -> tuple[float, float]:
        """A difference cannot exceed that of the greatest and the smallest possible value."""
        if self.rule.scale == "ratio":
            return low, high
        span = self.rule.highest - self.rule.lowest
        return max(low, -span), min(high, span)

    def _pairs(self, arm: int) -> int:
        return int((~np.isnan(self.measured[[0, arm]]).any(axis=0)).sum())
