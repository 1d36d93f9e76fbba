"""The effect of each factor, and whether factors change each other's effect (docs/method.md, Factorial analysis).

Ordinary least squares on ln(value) ~ block + factors + two-way interactions. Effects are ratios; their p values are
adjusted by Holm's method over all effects and interactions of a metric.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ngxlab.analysis.factorial.design import Factor, FactorLevel, Model, Row, factors_of
from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmInfo, FactorEffect, FactorInteraction, MetricKey
from ngxlab.analysis.statistics.least_squares import Contrast, fit, holm
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.usable_trials import TrialsByBlock

SIGNIFICANT = 0.05


class Factorial(NamedTuple):
    """``reason``: why effects are missing, for all metrics or some."""

    effects: list[FactorEffect]
    interactions: list[FactorInteraction]
    reason: str | None


class _Tested(NamedTuple):
    """An effect with its p value adjusted by Holm's method."""

    contrast: Contrast
    p_holm: float


def factor_effects(
    metrics: Sequence[Metric], arms: Sequence[ArmInfo], baseline: str, usable: Mapping[str, TrialsByBlock]
) -> Factorial:
    """For every metric that is compared by ratio. ``usable``: the trials of each arm by block."""
    try:
        factors = factors_of(arms, baseline)
    except ValueError as error:
        return Factorial([], [], str(error))
    result = Factorial([], [], None)
    problems: dict[str, list[str]] = {}
    for metric in metrics:
        if metric.info.scale == "ratio":
            try:
                rows = _rows(metric, arms, usable)
                effects, interactions = _estimate(metric.info.key, rows, factors)
            except ValueError as error:
                problems.setdefault(str(error), []).append(metric.phrase)
            else:
                result.effects.extend(effects)
                result.interactions.extend(interactions)
    reasons = [f"{', '.join(phrases)}: {problem}" for problem, phrases in problems.items()]
    return result._replace(reason="; ".join(reasons) or None)


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
    metric: MetricKey, rows: Sequence[Row], factors: list[Factor]
) -> tuple[list[FactorEffect], list[FactorInteraction]]:
    model = Model(sorted({row.block for row in rows}), factors)
    fitted = fit(model.design(rows), np.array([row.value for row in rows], np.float64))
    mains = [fitted.contrast(model.main_effect(factor_level)) for factor_level in model.factor_levels]
    pairs = [fitted.contrast(model.interaction(both)) for both in model.interactions]
    adjusted = holm([contrast.p for contrast in [*mains, *pairs]])
    tested = [_Tested(contrast, p) for contrast, p in zip([*mains, *pairs], adjusted, strict=True)]
    references = {factor.key: factor.reference for factor in factors}
    effects = [
        _effect(metric, factor_level, references, one)
        for factor_level, one in zip(model.factor_levels, tested[: len(mains)], strict=True)
    ]
    interactions = [
        _interaction(metric, both, references, one)
        for both, one in zip(model.interactions, tested[len(mains) :], strict=True)
    ]
    return effects, interactions


def _effect(
    metric: MetricKey, factor_level: FactorLevel, references: Mapping[str, str], tested: _Tested
) -> FactorEffect:
    factor, level = factor_level
    ratio, low, high = _ratios(tested)
    return FactorEffect(
        metric=metric,
        factor=factor,
        level=level,
        reference=references[factor],
        ratio=ratio,
        ci_low=low,
        ci_high=high,
        p_holm=tested.p_holm,
        significant=tested.p_holm < SIGNIFICANT,
        text=f"{factor}={level} against {factor}={references[factor]}: {_estimate_text(ratio, low, high)}",
    )


def _interaction(
    metric: MetricKey, both: tuple[FactorLevel, FactorLevel], references: Mapping[str, str], tested: _Tested
) -> FactorInteraction:
    (one, level_of_one), (other, level_of_other) = both
    ratio, low, high = _ratios(tested)
    together = f"{one}={level_of_one} with {other}={level_of_other}"
    return FactorInteraction(
        metric=metric,
        factors=(one, other),
        levels=(level_of_one, level_of_other),
        references=(references[one], references[other]),
        ratio=ratio,
        ci_low=low,
        ci_high=high,
        p_holm=tested.p_holm,
        significant=tested.p_holm < SIGNIFICANT,
        text=f"{together}: {_estimate_text(ratio, low, high)} relative to the product of their separate effects",
    )


def _ratios(tested: _Tested) -> tuple[float, float, float]:
    return math.exp(tested.contrast.estimate), math.exp(tested.contrast.low), math.exp(tested.contrast.high)


def _estimate_text(ratio: float, low: float, high: float) -> str:
    text, ci_text = numbers.estimate_texts(ratio, low, high, ratio=True)
    return f"{text} (95 % CI {ci_text})"
