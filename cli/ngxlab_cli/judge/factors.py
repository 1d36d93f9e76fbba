"""Effects of factors, and whether they change each other."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from ngxlab_verdict import Experiment, MetricRule, Question
from ngxlab_verdict.factors import ERROR, Asked, Effect, effects_of, factors_of, noisiest_arm
from ngxlab_verdict.words import confidence

from ngxlab_cli.errors import UsageError


class Factorial(NamedTuple):
    """``effects``: by metric. ``reasons``: why a metric has none. ``references``: the baseline's levels."""

    effects: dict[str, list[Effect]]
    reasons: dict[str, str]
    references: Mapping[str, str]


def of_experiment(
    experiment: Experiment, levels: Mapping[str, tuple[Mapping[str, str], int]], asked: Question
) -> Factorial:
    """For each metric that is compared by ratio, as in a report: primary metrics share the error of one family.

    Raises UsageError if the arms are not all combinations of two factors or more.
    """
    arms = [levels[arm][0] for arm in experiment.arms]
    try:
        factors = factors_of(arms)
    except ValueError as error:
        raise UsageError(f"--factor: {error}") from None
    by_ratio = [metric for metric in experiment.metrics if _rule(asked, metric).scale == "ratio"]
    primary = [metric for metric in by_ratio if asked.primary is None or metric in asked.primary]
    found = Factorial({}, {}, {factor.key: factor.reference for factor in factors})
    values: dict[str, np.typing.NDArray[np.float64]] = {}
    for metric in experiment.metrics:
        if metric not in by_ratio:
            found.reasons[metric] = "compared by difference: effects of factors are ratios"
            continue
        try:
            values[metric] = _logarithms(experiment.values[experiment.metrics.index(metric)])
        except ValueError as error:
            found.reasons[metric] = str(error)
    shared = noisiest_arm([of_metric for metric, of_metric in values.items() if metric in primary])
    for metric, of_metric in values.items():
        rule = _rule(asked, metric)
        margin = math.log1p(asked.margin if rule.margin is None else rule.margin)
        own = (
            Asked("primary", ERROR / len(primary), margin, rule.direction, shared)
            if metric in primary
            else Asked("exploratory", ERROR, margin, "neutral")
        )
        try:
            found.effects[metric] = effects_of(of_metric, arms, factors, own)
        except ValueError as error:
            found.reasons[metric] = str(error)
    return found


def _rule(asked: Question, metric: str) -> MetricRule:
    return asked.rules.get(metric, MetricRule())


def _logarithms(values: "np.typing.NDArray[np.float64]") -> "np.typing.NDArray[np.float64]":
    if np.isnan(values).all(axis=1).any():
        raise ValueError("an arm has no value")
    if (values <= 0).any():
        raise ValueError("a value is not positive: no ratio")
    return np.asarray(np.log(values), np.float64)


def document(found: Factorial) -> dict[str, Any]:
    effects = [_document(metric, effect) for metric, of_metric in found.effects.items() for effect in of_metric]
    return {"factors": {"references": found.references, "effects": effects, "reasons": found.reasons}}


def _document(metric: str, effect: Effect) -> dict[str, Any]:
    ratio, low, high = (math.exp(value) for value in (effect.estimate, effect.low, effect.high))
    numbers = {"ratio": ratio, "low": low, "high": high, "confidence_percent": confidence(effect.error)}
    return {"metric": metric, "levels": dict(effect.of), "family": effect.family, "verdict": effect.verdict} | numbers
