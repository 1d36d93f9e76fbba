"""The claims of a run: its trials' values judged by the procedure (docs/method.md, Families of claims)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from ngxlab_verdict import Claim, Experiment, Looks, MetricRule, Question, Scatter, Stage, judge
from numpy.typing import NDArray

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.verdict.censored import without_censored
from ngxlab.analysis.verdict.margins import DEFAULT, Margins
from ngxlab.analysis.verdict.usable_trials import TrialsByBlock

Claims = Mapping[tuple[str, str], Claim]
"""By arm and name of the metric."""


def run_claims(
    metrics: Sequence[Metric],
    usable: Mapping[str, TrialsByBlock],
    baseline: str,
    primary: Sequence[str] = (),
    margins: Margins = DEFAULT,
    *,
    looks: Looks | None = None,
    spent: float = 0.0,
    earlier: Sequence[Stage] = (),
    learned: Mapping[str, Scatter] = MappingProxyType({}),
) -> Claims:
    """``usable``: the trials of each arm by block. ``primary``: names; metrics that no trial has are left out.

    ``earlier``: its ``blocks`` are the number of the last one that the look saw. ``learned``: the scatter that earlier
    runs had shown, by metric.
    """
    names = [metric.name for metric in metrics]
    arms = [baseline, *(arm for arm in usable if arm != baseline)]
    trials = [trial for by_block in usable.values() for trial in by_block.values()]
    blocks = {number for by_block in usable.values() for number in by_block}
    question = Question(
        primary=[name for name in primary if name in names],
        rules={
            metric.name: replace(rule_of(metric, margins.of(metric), trials), learned=learned.get(metric.name))
            for metric in metrics
        },
        looks=looks,
        spent=spent,
        earlier=[replace(stage, blocks=sum(number <= stage.blocks for number in blocks)) for stage in earlier],
    )
    claims = judge(Experiment(arms, names, values_of(metrics, [usable[arm] for arm in arms])), question)
    claims = without_censored(claims, metrics, usable, baseline)
    return {(claim.arm, claim.metric): claim for claim in claims}


def values_of(metrics: Sequence[Metric], arms: Sequence[TrialsByBlock]) -> NDArray[np.float64]:
    """``[metric, arm, block]``, NaN where there is no value."""
    blocks = sorted({block for trials in arms for block in trials})
    return np.array(
        [[[_value(metric, trials.get(block)) for block in blocks] for trials in arms] for metric in metrics], np.float64
    ).reshape(len(metrics), len(arms), len(blocks))


def rule_of(metric: Metric, margin: float, trials: Iterable[TrialSummary] = ()) -> MetricRule:
    """``trials``: all that are compared."""
    if metric.ceiling is None:
        return MetricRule(metric.info.direction, metric.info.scale, margin)
    ceilings = [value for trial in trials if (value := metric.ceiling(trial)) is not None]
    highest = max(ceilings, default=math.inf)
    return MetricRule(metric.info.direction, metric.info.scale, margin, lowest=0, highest=highest)


def _value(metric: Metric, trial: TrialSummary | None) -> float:
    value = metric.value(trial) if trial is not None else None
    return np.nan if value is None else value
