"""The effect of each factor, and whether factors change each other's effect (docs/method.md, Factorial analysis).

Ordinary least squares on ln(value) ~ block + factors + two-way interactions. Effects are ratios. All effects and
interactions on primary metrics are one family, whose intervals hold together; those on any other metric are a family
of their own.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from ngxlab_contracts.sentences import Sentence, fixed, listed, say
from ngxlab_verdict import Family, Word
from ngxlab_verdict.experiment import Direction
from ngxlab_verdict.quantiles import max_modulus_quantile
from ngxlab_verdict.words import word

from ngxlab.analysis.factorial.design import Factor, FactorLevel, Model, Row, factors_of
from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmInfo, FactorEffect, FactorInteraction
from ngxlab.analysis.statistics.least_squares import Contrast, fit
from ngxlab.analysis.statistics.paired import MIN_MARGIN
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.usable_trials import TrialsByBlock

ERROR = 0.05
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
    """An effect as a ratio, with its interval and its word."""

    ratio: float
    low: float
    high: float
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
    fitted = fit(model.design(rows), np.array([row.value for row in rows], np.float64))
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
    return _Judged(ratio, low, high, asked.family, said)


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
    return say("{text} (95 % CI {interval})", text=text, interval=ci_text or "")


def _prefixed(judged: _Judged, text: Sentence) -> Sentence:
    return say("Exploratory: {text}", text=text) if judged.family == "exploratory" else text
