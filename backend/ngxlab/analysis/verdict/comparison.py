"""One arm against the baseline in one metric."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmMetric, BlockValue, Comparison, TrialSummary
from ngxlab.analysis.statistics.paired import Estimate, estimate, judge, log_ratios
from ngxlab.analysis.verdict import numbers

TrialsByBlock = Mapping[int, TrialSummary]


def arm_metric(metric: Metric, arm: TrialsByBlock, baseline: TrialsByBlock | None, margin: float) -> ArmMetric:
    """``baseline`` is ``None`` for the baseline itself. ``margin`` is for ratios; differences use the metric's own."""
    values = _values(metric, arm)
    comparison, reason = (None, None)
    if baseline is not None:
        comparison, reason = _compare(metric, values, _values(metric, baseline), margin)
    mean, geometric = _mean([value.value for value in values], ratio=metric.info.scale == "ratio")
    return ArmMetric(
        metric=metric.info.key,
        values=values,
        mean=mean,
        mean_kind="geometric" if geometric else "arithmetic",
        comparison=comparison,
        no_comparison_reason=reason,
    )


def _values(metric: Metric, trials: TrialsByBlock) -> list[BlockValue]:
    values = ((block, trial, metric.value(trial)) for block, trial in sorted(trials.items()))
    return [BlockValue(block=block, trial_id=trial.trial_id, value=v) for block, trial, v in values if v is not None]


def _compare(
    metric: Metric, arm: Sequence[BlockValue], baseline: Sequence[BlockValue], margin: float
) -> tuple[Comparison | None, str | None]:
    if not arm or not baseline:
        return None, f"{'this arm' if not arm else 'the baseline'} has no usable trial with this metric"
    of_baseline = {value.block: value.value for value in baseline}
    pairs = [(value.value, of_baseline[value.block]) for value in arm if value.block in of_baseline]
    if not pairs:
        return None, "no block has a usable trial of both arms"
    if metric.info.scale == "difference":
        return _comparison(metric, estimate([a - b for a, b in pairs]), metric.margin), None
    zero = [
        side for side, values in (("this arm", arm), ("the baseline", baseline)) if any(v.value <= 0 for v in values)
    ]
    if zero:
        return None, f"{zero[0]} is zero in at least one block: no ratio"
    return _comparison(metric, estimate(log_ratios(pairs)), margin), None


def _comparison(metric: Metric, result: Estimate, margin: float) -> Comparison:
    ratio = metric.info.scale == "ratio"
    verdict, further = judge(result, math.log1p(margin) if ratio else margin, metric.info.direction)
    mean = math.exp(result.mean) if ratio else result.mean
    low, high = (math.exp(end) if ratio and end is not None else end for end in (result.low, result.high))
    text, ci_text = numbers.estimate_texts(mean, low, high, ratio=ratio)
    return Comparison(
        scale=metric.info.scale,
        estimate=mean,
        ci_low=low,
        ci_high=high,
        pairs=result.pairs,
        margin=margin,
        verdict=verdict,
        more_blocks=further,
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
