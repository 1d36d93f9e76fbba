"""The effect of each factor, and whether factors change each other's effect (docs/method.md, Factorial analysis).

Estimated by ``ngxlab_verdict.factors``; effects are ratios. All effects and interactions on primary metrics are one
family, whose intervals hold together; those on any other metric are a family of their own.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from ngxlab_contracts.sentences import Sentence, fixed, listed, say
from ngxlab_verdict.factors import ERROR, Asked, Effect, effects_of, factors_of, noisiest_arm
from ngxlab_verdict.words import confidence
from numpy.typing import NDArray

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmInfo, FactorEffect, FactorInteraction
from ngxlab.analysis.statistics.paired import MIN_MARGIN
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.claims import TrialsByBlock, values_of


class Factorial(NamedTuple):
    """``reason``: why effects are missing, for all metrics or some."""

    effects: list[FactorEffect]
    interactions: list[FactorInteraction]
    reason: Sentence | None


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
    ordered = sorted(arms, key=lambda arm: arm.key != baseline)
    try:
        factors = factors_of([arm.levels for arm in ordered])
    except ValueError as error:
        return Factorial([], [], fixed(str(error)))
    result = Factorial([], [], None)
    problems: dict[str, list[str]] = {}
    compared = [metric for metric in metrics if metric.info.scale == "ratio"]
    share = ERROR / max(1, sum(metric.name in primary for metric in compared))
    references = {factor.key: factor.reference for factor in factors}
    values = _readable(compared, ordered, usable, problems)
    shared = noisiest_arm([of_metric for metric, of_metric in values if metric.name in primary])
    for metric, of_metric in values:
        asked = (
            Asked("primary", share, math.log1p(margin), metric.info.direction, shared)
            if metric.name in primary
            else Asked("exploratory", ERROR, math.log1p(margin), "neutral")
        )
        try:
            found = effects_of(of_metric, [arm.levels for arm in ordered], factors, asked)
        except ValueError as error:
            problems.setdefault(str(error), []).append(metric.phrase)
        else:
            result.effects.extend(_effect(metric, one, references) for one in found if len(one.of) == 1)
            result.interactions.extend(_interaction(metric, one, references) for one in found if len(one.of) == 2)
    reasons = [
        say("{metrics}: {problem}", metrics=listed(map(fixed, phrases)), problem=fixed(problem))
        for problem, phrases in problems.items()
    ]
    return result._replace(reason=listed(reasons, "; ") if reasons else None)


def _readable(
    metrics: Sequence[Metric],
    arms: Sequence[ArmInfo],
    usable: Mapping[str, TrialsByBlock],
    problems: dict[str, list[str]],
) -> list[tuple[Metric, NDArray[np.float64]]]:
    """The values of metrics that have some; why others have none is added to ``problems``."""
    found = []
    for metric in metrics:
        try:
            found.append((metric, _values(metric, arms, usable)))
        except ValueError as error:
            problems.setdefault(str(error), []).append(metric.phrase)
    return found


def _values(metric: Metric, arms: Sequence[ArmInfo], usable: Mapping[str, TrialsByBlock]) -> NDArray[np.float64]:
    """The logarithms, ``[arm, block]``."""
    values = values_of([metric], [usable[arm.key] for arm in arms])[0]
    if np.isnan(values).all(axis=1).any():
        raise ValueError("an arm has no usable trial with this metric")
    if (values <= 0).any():
        raise ValueError("zero in at least one trial: no ratio")
    return np.asarray(np.log(values), np.float64)


def _effect(metric: Metric, found: Effect, references: Mapping[str, str]) -> FactorEffect:
    [(factor, level)] = found.of
    text = say(
        "{factor}={level} against {factor}={reference}: {said}",
        factor=factor,
        level=level,
        reference=references[factor],
        said=_said(found),
    )
    return FactorEffect(
        metric=metric.info.key,
        factor=factor,
        level=level,
        reference=references[factor],
        text=_prefixed(found, say("{text}, {verdict}", text=text, verdict=fixed(found.verdict))),
        **_numbers(found),
    )


def _interaction(metric: Metric, found: Effect, references: Mapping[str, str]) -> FactorInteraction:
    (one, level_of_one), (other, level_of_other) = found.of
    text = say(
        "{one}={level_of_one} with {other}={level_of_other}: {said}",
        one=one,
        level_of_one=level_of_one,
        other=other,
        level_of_other=level_of_other,
        said=_said(found),
    )
    return FactorInteraction(
        metric=metric.info.key,
        factors=(one, other),
        levels=(level_of_one, level_of_other),
        references=(references[one], references[other]),
        text=_prefixed(
            found,
            say(
                "{text} relative to the product of their separate effects, {verdict}",
                text=text,
                verdict=fixed(found.verdict),
            ),
        ),
        **_numbers(found),
    )


def _numbers(found: Effect) -> dict[str, Any]:
    return {
        "ratio": math.exp(found.estimate),
        "ci_low": math.exp(found.low),
        "ci_high": math.exp(found.high),
        "family": found.family,
        "verdict": found.verdict,
    }


def _said(found: Effect) -> Sentence:
    ratio, low, high = (math.exp(value) for value in (found.estimate, found.low, found.high))
    text, ci_text = numbers.estimate_texts(ratio, low, high, ratio=True)
    level = confidence(found.error)
    return say("{text} ({level:g} % CI {interval})", text=text, level=level, interval=ci_text or "")


def _prefixed(found: Effect, text: Sentence) -> Sentence:
    return say("Exploratory: {text}", text=text) if found.family == "exploratory" else text
