"""One arm against the baseline in one metric."""

import math
from collections.abc import Sequence

import numpy as np
from ngxlab_verdict import Claim
from ngxlab_verdict.power import more_blocks

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmMetric, BlockValue, Comparison
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.usable_trials import TrialsByBlock


def arm_metric(metric: Metric, arm: TrialsByBlock, claim: Claim | None, margin: float = 0.02) -> ArmMetric:
    """``claim`` is ``None`` for the baseline itself. ``margin``: 0.02 is 2 %, or in the metric's unit."""
    values = _values(metric, arm)
    mean, geometric = _mean([value.value for value in values], ratio=metric.info.scale == "ratio")
    compared = claim is not None and claim.estimate is not None
    return ArmMetric(
        metric=metric.info.key,
        values=values,
        mean=mean,
        mean_kind="geometric" if geometric else "arithmetic",
        comparison=_comparison(metric, claim, claim.estimate, margin) if claim and claim.estimate is not None else None,
        no_comparison_reason=claim.reason if claim is not None and not compared else None,
    )


def _values(metric: Metric, trials: TrialsByBlock) -> list[BlockValue]:
    values = ((block, trial, metric.value(trial)) for block, trial in sorted(trials.items()))
    return [BlockValue(block=block, trial_id=trial.trial_id, value=v) for block, trial, v in values if v is not None]


def _comparison(metric: Metric, claim: Claim, estimate: float, limit: float) -> Comparison:
    ratio = claim.scale == "ratio"
    text, ci_text = numbers.estimate_texts(estimate, claim.low, claim.high, ratio=ratio)
    return Comparison(
        family=claim.family,
        scale=claim.scale,
        estimate=estimate,
        ci_low=claim.low,
        ci_high=claim.high,
        pairs=claim.pairs,
        margin=limit,
        verdict=claim.verdict,
        at_least=claim.at_least,
        reason=claim.reason,
        more_blocks=more_blocks(claim, math.log1p(limit) if ratio else limit),
        text=text,
        ci_text=ci_text,
    )


def _mean(values: Sequence[float], *, ratio: bool) -> tuple[float | None, bool]:
    """The mean, and whether it is geometric: so for ratios, to match the mean log ratio, unless a value is zero."""
    if not values:
        return None, ratio
    if ratio and all(value > 0 for value in values):
        return float(np.exp(np.mean(np.log(values)))), True
    return float(np.mean(values)), False
