"""What each factor does, and whether factors change each other's effect (DOMAIN 4.8).

Ordinary least squares on ln(value) ~ block + factors + two-way interactions. Effects are ratios; how sure they are is
adjusted by Holm over all effects and interactions of a metric.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ngxlab.analysis.factorial.design import Factor, Model, Row, Setting, factors_of
from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmInfo, FactorEffect, FactorInteraction, MetricKey
from ngxlab.analysis.statistics.least_squares import Contrast, fit, holm
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.comparison import TrialsByBlock

SIGNIFICANT = 0.05


class Factorial(NamedTuple):
    """``reason``: why effects are missing, of all metrics or of some."""

    effects: list[FactorEffect]
    interactions: list[FactorInteraction]
    reason: str | None


class _Sure(NamedTuple):
    """An effect with its Holm-adjusted p."""

    contrast: Contrast
    p_holm: float


def factor_effects(
    metrics: Sequence[Metric], arms: Sequence[ArmInfo], baseline: str, usable: Mapping[str, TrialsByBlock]
) -> Factorial:
    """Of every one of ``metrics`` that is compared by ratio. ``usable``: the trials of each arm by block."""
    try:
        factors = factors_of(arms, baseline)
    except ValueError as error:
        return Factorial([], [], str(error))
    found = Factorial([], [], None)
    problems: dict[str, list[str]] = {}
    for metric in metrics:
        if metric.info.scale == "ratio":
            try:
                rows = _rows(metric, arms, usable)
                effects, interactions = _estimate(metric.info.key, rows, factors)
            except ValueError as error:
                problems.setdefault(str(error), []).append(metric.phrase)
            else:
                found.effects.extend(effects)
                found.interactions.extend(interactions)
    reasons = [f"{', '.join(phrases)}: {problem}" for problem, phrases in problems.items()]
    return found._replace(reason="; ".join(reasons) or None)


def _rows(metric: Metric, arms: Sequence[ArmInfo], usable: Mapping[str, TrialsByBlock]) -> list[Row]:
    rows = []
    for arm in arms:
        values = {block: metric.value(trial) for block, trial in usable[arm.key].items()}
        known = {block: value for block, value in values.items() if value is not None}
        if not known:
            raise ValueError("an arm has no usable trial with this figure")
        if any(value <= 0 for value in known.values()):
            raise ValueError("zero in at least one trial: no ratio")
        rows += [Row(block, arm.levels, math.log(value)) for block, value in known.items()]
    return rows


def _estimate(
    metric: MetricKey, rows: Sequence[Row], factors: list[Factor]
) -> tuple[list[FactorEffect], list[FactorInteraction]]:
    model = Model(sorted({row.block for row in rows}), factors)
    fitted = fit(model.design(rows), np.array([row.value for row in rows], np.float64))
    mains = [fitted.contrast(model.main_effect(setting)) for setting in model.settings]
    pairs = [fitted.contrast(model.interaction(both)) for both in model.interactions]
    adjusted = holm([contrast.p for contrast in [*mains, *pairs]])
    sure = [_Sure(contrast, p) for contrast, p in zip([*mains, *pairs], adjusted, strict=True)]
    references = {factor.key: factor.reference for factor in factors}
    effects = [
        _effect(metric, setting, references, one)
        for setting, one in zip(model.settings, sure[: len(mains)], strict=True)
    ]
    interactions = [
        _interaction(metric, both, references, one)
        for both, one in zip(model.interactions, sure[len(mains) :], strict=True)
    ]
    return effects, interactions


def _effect(metric: MetricKey, setting: Setting, references: Mapping[str, str], sure: _Sure) -> FactorEffect:
    factor, level = setting
    ratio, low, high = _ratios(sure)
    return FactorEffect(
        metric=metric,
        factor=factor,
        level=level,
        reference=references[factor],
        ratio=ratio,
        ci_low=low,
        ci_high=high,
        p_holm=sure.p_holm,
        significant=sure.p_holm < SIGNIFICANT,
        text=f"{factor}={level} against {factor}={references[factor]}: {_estimate_text(ratio, low, high)}",
    )


def _interaction(
    metric: MetricKey, both: tuple[Setting, Setting], references: Mapping[str, str], sure: _Sure
) -> FactorInteraction:
    (one, level_of_one), (other, level_of_other) = both
    ratio, low, high = _ratios(sure)
    together = f"{one}={level_of_one} with {other}={level_of_other}"
    return FactorInteraction(
        metric=metric,
        factors=(one, other),
        levels=(level_of_one, level_of_other),
        references=(references[one], references[other]),
        ratio=ratio,
        ci_low=low,
        ci_high=high,
        p_holm=sure.p_holm,
        significant=sure.p_holm < SIGNIFICANT,
        text=f"{together}: {_estimate_text(ratio, low, high)} relative to the product of their separate effects",
    )


def _ratios(sure: _Sure) -> tuple[float, float, float]:
    return math.exp(sure.contrast.estimate), math.exp(sure.contrast.low), math.exp(sure.contrast.high)


def _estimate_text(ratio: float, low: float, high: float) -> str:
    text, ci_text = numbers.estimate_texts(ratio, low, high, ratio=True)
    return f"{text} (95 % CI {ci_text})"
