"""The effect of each factor, and whether factors change each other's effect (docs/method.md, Factorial analysis).

Ordinary least squares on ln(value) ~ block + factors + two-way interactions. Effects are ratios. All effects and
interactions on primary metrics are one family, whose intervals hold together; those on any other metric are a family
of their own.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import Any, NamedTuple

import numpy as np
import scipy
from ngxlab_contracts.sentences import Sentence, fixed, listed, say
from ngxlab_verdict import Family, Word
from ngxlab_verdict.quantiles import max_modulus_quantile
from ngxlab_verdict.words import Direction, confidence, word
from numpy.typing import NDArray

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmInfo, FactorEffect, FactorInteraction
from ngxlab.analysis.statistics.paired import MIN_MARGIN, t_quantile
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.usable_trials import TrialsByBlock


class Contrast(NamedTuple):
    """A weighted sum of coefficients with its interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Fit:
    """``unscaled`` is (X'X)^-1; ``variance`` is that of the residuals, with ``degrees`` of freedom."""

    coefficients: NDArray[np.float64]
    unscaled: NDArray[np.float64]
    variance: float
    degrees: int

    def contrast(self, weights: NDArray[np.float64], quantile: float | None = None) -> Contrast:
        """``quantile``: of the interval, in standard errors; without one, Student's for a single contrast."""
        estimate = float(weights @ self.coefficients)
        error = math.sqrt(max(0.0, self.variance * float(weights @ self.unscaled @ weights)))
        half = (t_quantile(self.degrees) if quantile is None else quantile) * error
        return Contrast(estimate, estimate - half, estimate + half)


def fit(design: NDArray[np.float64], values: NDArray[np.float64]) -> Fit:
    """Raises ValueError if the columns of ``design`` are linearly dependent, or leave no degree of freedom."""
    rows, columns = design.shape
    if np.linalg.matrix_rank(design) < columns:
        raise ValueError("too few trials to estimate all effects")
    if rows <= columns:
        raise ValueError("no trials left to estimate the error: more blocks are needed")
    unscaled = np.asarray(np.linalg.inv(design.T @ design), np.float64)
    coefficients = unscaled @ design.T @ values
    residuals = values - design @ coefficients
    return Fit(coefficients, unscaled, float(residuals @ residuals) / (rows - columns), rows - columns)


def lack_of_fit(fitted: Fit, saturated: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """The chance that the means of arms lie as far from the model, if it holds (F test); 1 where that cannot be said.

    ``saturated``: the design in which each arm has a mean of its own.
    """
    try:
        own = fit(saturated, values)
    except ValueError:
        return 1.0
    more, scatter = fitted.degrees - own.degrees, own.variance * own.degrees
    if more <= 0 or own.variance <= _NO_SCATTER**2:
        return 1.0
    excess = max(fitted.variance * fitted.degrees - scatter, 0.0)
    return float(scipy.special.fdtrc(more, own.degrees, excess / more / own.variance))


FactorLevel = tuple[str, str]
"""(factor, level), where the level is not the reference."""


class Factor(NamedTuple):
    """``others``: the levels that are compared with ``reference``."""

    key: str
    reference: str
    others: list[str]

    @property
    def factor_levels(self) -> list[FactorLevel]:
        return [(self.key, level) for level in self.others]


class Row(NamedTuple):
    """One trial."""

    block: int
    levels: Mapping[str, str]
    value: float


def factors_of(arms: Sequence[ArmInfo], baseline: str) -> list[Factor]:
    """The factors in which the arms differ; the baseline's levels are the references.

    Raises ValueError unless there are at least two, and the arms cover every combination of their levels.
    """
    references = next(arm for arm in arms if arm.key == baseline).levels
    if any(arm.levels.keys() != references.keys() for arm in arms):
        raise ValueError("the arms do not all have the same factors")
    levels = {
        key: list(dict.fromkeys([reference, *(arm.levels[key] for arm in arms)]))
        for key, reference in references.items()
    }
    factors = [Factor(key, of_factor[0], of_factor[1:]) for key, of_factor in levels.items() if len(of_factor) > 1]
    if len(factors) < 2:
        raise ValueError("the arms differ in fewer than two factors")
    combined = {tuple(arm.levels[factor.key] for factor in factors) for arm in arms}
    if len(combined) < prod(1 + len(factor.others) for factor in factors):
        raise ValueError("the arms do not cover every combination of the factors' levels")
    return factors


@dataclass(frozen=True)
class Model:
    """value ~ block + factors + two-way interactions, each level against its reference (treatment coding)."""

    blocks: list[int]
    factors: list[Factor]

    @property
    def factor_levels(self) -> list[FactorLevel]:
        return [factor_level for factor in self.factors for factor_level in factor.factor_levels]

    @property
    def interactions(self) -> list[tuple[FactorLevel, FactorLevel]]:
        pairs = combinations(self.factors, 2)
        return [both for one, other in pairs for both in product(one.factor_levels, other.factor_levels)]

    def design(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """One row for each trial; columns: blocks, levels, interactions."""
        return np.array([self._line(row) for row in rows], np.float64)

    def saturated(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """Block and arm, whatever the levels of an arm do together."""
        cells = list(product(*([factor.reference, *factor.others] for factor in self.factors)))
        own = [tuple(row.levels[factor.key] for factor in self.factors) for row in rows]
        return np.array(
            [
                [*(block == row.block for block in self.blocks), *(cell == one for cell in cells[1:])]
                for row, one in zip(rows, own, strict=True)
            ],
            np.float64,
        )

    def main_effect(self, factor_level: FactorLevel) -> NDArray[np.float64]:
        """Averaged over the levels of the other factors, with equal weights."""
        sizes = {factor.key: 1 + len(factor.others) for factor in self.factors}
        weights = [
            1 / sizes[next(factor for factor, _ in both if factor != factor_level[0])] if factor_level in both else 0.0
            for both in self.interactions
        ]
        return self._weights([float(one == factor_level) for one in self.factor_levels], weights)

    def interaction(self, both: tuple[FactorLevel, FactorLevel]) -> NDArray[np.float64]:
        return self._weights([0.0] * len(self.factor_levels), [float(one == both) for one in self.interactions])

    def _weights(self, of_levels: list[float], of_interactions: list[float]) -> NDArray[np.float64]:
        return np.array([0.0] * len(self.blocks) + of_levels + of_interactions, np.float64)

    def _line(self, row: Row) -> list[bool]:
        has = {factor_level: row.levels[factor_level[0]] == factor_level[1] for factor_level in self.factor_levels}
        together = [has[one] and has[other] for one, other in self.interactions]
        return [*(block == row.block for block in self.blocks), *has.values(), *together]


ERROR = 0.05
_DOES_NOT_FIT = 0.01
_NO_SCATTER = 1e-9


class Factorial(NamedTuple):
    """``reason``: why effects are missing, for all metrics or some."""

    effects: list[FactorEffect]
    interactions: list[FactorInteraction]
    reason: Sentence | None


class _Asked(NamedTuple):
    """What is asked of the effects on a metric. ``error``: of all of them; ``margin``: of their logarithms."""

    metric: Metric
    family: Family
    error: float
    margin: float


class _Judged(NamedTuple):
    """An effect as a ratio, with its interval and its word. ``error``: of all effects on the metric together."""

    ratio: float
    low: float
    high: float
    error: float
    family: Family
    verdict: Word


def factor_effects(
    metrics: Sequence[Metric],
    arms: Sequence[ArmInfo],
    baseline: str,
    usable: Mapping[str, TrialsByBlock],
    *,
    primary: Sequence[str] = (),
    margin: float = MIN_MARGIN,
) -> Factorial:
    """For every metric that is compared by ratio. ``usable``: the trials of each arm by block.

    The metrics named in ``primary`` share the error of one family; all others are exploratory, each by itself.
    """
    try:
        factors = factors_of(arms, baseline)
    except ValueError as error:
        return Factorial([], [], fixed(str(error)))
    result = Factorial([], [], None)
    problems: dict[str, list[str]] = {}
    compared = [metric for metric in metrics if metric.info.scale == "ratio"]
    share = ERROR / max(1, sum(metric.name in primary for metric in compared))
    for metric in compared:
        asked = (
            _Asked(metric, "primary", share, math.log1p(margin))
            if metric.name in primary
            else _Asked(metric, "exploratory", ERROR, math.log1p(margin))
        )
        try:
            effects, interactions = _estimate(asked, _rows(metric, arms, usable), factors)
        except ValueError as error:
            problems.setdefault(str(error), []).append(metric.phrase)
        else:
            result.effects.extend(effects)
            result.interactions.extend(interactions)
    reasons = [
        say("{metrics}: {problem}", metrics=listed(map(fixed, phrases)), problem=fixed(problem))
        for problem, phrases in problems.items()
    ]
    return result._replace(reason=listed(reasons, "; ") if reasons else None)


def _rows(metric: Metric, arms: Sequence[ArmInfo], usable: Mapping[str, TrialsByBlock]) -> list[Row]:
    rows = []
    for arm in arms:
        values = {block: metric.value(trial) for block, trial in usable[arm.key].items()}
        measured = {block: value for block, value in values.items() if value is not None}
        if not measured:
            raise ValueError("an arm has no usable trial with this metric")
        if any(value <= 0 for value in measured.values()):
            raise ValueError("zero in at least one trial: no ratio")
        rows += [Row(block, arm.levels, math.log(value)) for block, value in measured.items()]
    return rows


def _estimate(
    asked: _Asked, rows: Sequence[Row], factors: list[Factor]
) -> tuple[list[FactorEffect], list[FactorInteraction]]:
    model = Model(sorted({row.block for row in rows}), factors)
    values = np.array([row.value for row in rows], np.float64)
    fitted = fit(model.design(rows), values)
    if lack_of_fit(fitted, model.saturated(rows), values) < _DOES_NOT_FIT:
        raise ValueError(
            "three or more factors act together in a way that effects and interactions of two do not describe: compare "
            "the arms themselves"
        )
    contrasts = len(model.factor_levels) + len(model.interactions)
    quantile = max_modulus_quantile(asked.error, contrasts, fitted.degrees)
    references = {factor.key: factor.reference for factor in factors}
    direction = asked.metric.info.direction if asked.family == "primary" else "neutral"
    effects = [
        _effect(
            asked, level, references, _judged(asked, fitted.contrast(model.main_effect(level), quantile), direction)
        )
        for level in model.factor_levels
    ]
    interactions = [
        _interaction(asked, both, references, _judged(asked, fitted.contrast(model.interaction(both), quantile)))
        for both in model.interactions
    ]
    return effects, interactions


def _judged(asked: _Asked, contrast: Contrast, direction: Direction = "neutral") -> _Judged:
    if contrast.high - contrast.low <= _NO_SCATTER:
        raise ValueError("the values fit the model without any scatter: they are identical, or too coarse")
    said = word(contrast.estimate, contrast.low, contrast.high, asked.margin, direction)
    ratio, low, high = (math.exp(value) for value in contrast)
    return _Judged(ratio, low, high, asked.error, asked.family, said)


def _effect(asked: _Asked, factor_level: FactorLevel, references: Mapping[str, str], judged: _Judged) -> FactorEffect:
    factor, level = factor_level
    text = say(
        "{factor}={level} against {factor}={reference}: {said}",
        factor=factor,
        level=level,
        reference=references[factor],
        said=_said(judged),
    )
    return FactorEffect(
        metric=asked.metric.info.key,
        factor=factor,
        level=level,
        reference=references[factor],
        text=_prefixed(judged, say("{text}, {verdict}", text=text, verdict=fixed(judged.verdict))),
        **_numbers(judged),
    )


def _interaction(
    asked: _Asked, both: tuple[FactorLevel, FactorLevel], references: Mapping[str, str], judged: _Judged
) -> FactorInteraction:
    (one, level_of_one), (other, level_of_other) = both
    text = say(
        "{one}={level_of_one} with {other}={level_of_other}: {said}",
        one=one,
        level_of_one=level_of_one,
        other=other,
        level_of_other=level_of_other,
        said=_said(judged),
    )
    return FactorInteraction(
        metric=asked.metric.info.key,
        factors=(one, other),
        levels=(level_of_one, level_of_other),
        references=(references[one], references[other]),
        text=_prefixed(
            judged,
            say(
                "{text} relative to the product of their separate effects, {verdict}",
                text=text,
                verdict=fixed(judged.verdict),
            ),
        ),
        **_numbers(judged),
    )


def _numbers(judged: _Judged) -> dict[str, Any]:
    return {
        "ratio": judged.ratio,
        "ci_low": judged.low,
        "ci_high": judged.high,
        "family": judged.family,
        "verdict": judged.verdict,
    }


def _said(judged: _Judged) -> Sentence:
    text, ci_text = numbers.estimate_texts(judged.ratio, judged.low, judged.high, ratio=True)
    level = confidence(judged.error)
    return say("{text} ({level:g} % CI {interval})", text=text, level=level, interval=ci_text or "")


def _prefixed(judged: _Judged, text: Sentence) -> Sentence:
    return say("Exploratory: {text}", text=text) if judged.family == "exploratory" else text
