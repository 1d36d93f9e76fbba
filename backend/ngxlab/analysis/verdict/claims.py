"""The claims of a run: its trials' values judged by the procedure (docs/method.md, Families of claims)."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.engines import Loop
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_verdict import Claim, Experiment, Looks, MetricRule, Question, Scatter, Stage, judge
from numpy.typing import NDArray

from ngxlab.analysis.metrics import Absence, Metric, reasons
from ngxlab.analysis.schemas import MetricKey, TrialSummary
from ngxlab.analysis.statistics.paired import MIN_MARGIN

_BY_LOOP: Mapping[Loop, tuple[str, ...]] = {
    "closed": ("requests_per_s", "latency_p99_us"),
    "open": ("latency_p99_us", "requests_per_s"),
    "hold": ("worker_rss_growth_bytes",),
}
"""What each load measures: a closed loop its rate; an open loop, whose rate is planned, its latency and whether it was
served at that rate; idle connections their memory."""


def default_primary(loops: Sequence[Loop], *, steered: MetricKey | None = None) -> tuple[str, ...]:
    """Where there are several loads, the first of closed, open, hold decides. ``steered``: the result of a load whose
    rates the agent sets, so that no rate and no latency of the trial is one."""
    if steered is not None:
        return (steered,)
    return next((metrics for loop, metrics in _BY_LOOP.items() if loop in loops), _BY_LOOP["closed"])


TrialsByBlock = Mapping[int, TrialSummary]
"""The trials of one arm."""


def usable_by_block(summaries: Sequence[TrialSummary], arm: str) -> dict[int, TrialSummary]:
    """The usable trials of an arm by block; of several attempts at a block, the last one."""
    of_arm = [summary for summary in summaries if summary.arm == arm and summary.usable]
    return {summary.block: summary for summary in sorted(of_arm, key=lambda summary: summary.attempt)}


class Margins(NamedTuple):
    """``default``: of ratios, as the experimenter has it. It does not depend on what was measured."""

    default: float = MIN_MARGIN

    def of(self, metric: Metric) -> float:
        """0.02 is 2 % of a ratio; a difference has the margin of its metric, in its unit."""
        return self.default if metric.info.scale == "ratio" else metric.margin


DEFAULT = Margins()


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


def values_of(
    metrics: Sequence[Metric], arms: Sequence[TrialsByBlock], blocks: Sequence[int] = ()
) -> NDArray[np.float64]:
    """``[metric, arm, block]``, NaN where there is no value. ``blocks``: those in which any arm has a trial, unless
    told."""
    blocks = blocks or sorted({block for trials in arms for block in trials})
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


def without_censored(
    claims: Sequence[Claim], metrics: Sequence[Metric], usable: Mapping[str, TrialsByBlock], baseline: str
) -> list[Claim]:
    """``claims`` without an estimate where a trial of the arm or the baseline has no end of what the metric times.

    Leaving such trials out would compare the trials that went well: an arm that failed to recover would look better.
    """
    by_name = {metric.name: metric for metric in metrics}
    kept = []
    for claim in claims:
        reasons = [unended(by_name[claim.metric], arm, usable[arm]) for arm in (claim.arm, baseline)]
        reason = next((one for one in reasons if one is not None), None)
        kept.append(claim if reason is None else without_estimate(claim, reason))
    return kept


def without_estimate(claim: Claim, reason: str) -> Claim:
    return replace(claim, verdict="undecided", estimate=None, low=None, high=None, at_least=False, reason=reason)


def unended(metric: Metric, arm: str, trials: TrialsByBlock) -> Sentence | None:
    """In how many trials what the metric times had not ended, or its value lies beyond what could be measured, in
    words; ``None`` if in none."""
    if metric.absence is not None:
        return _beyond(metric.absence, arm, trials)
    if metric.ended_if is None:
        return None
    count = sum(trial.metric_values.get(metric.ended_if) == 0 for trial in trials.values())
    if not count:
        return None
    return say(
        "it had not ended within the window in {count} of {trials} trials of {arm}",
        count=count,
        trials=len(trials),
        arm=arm,
    )


def _beyond(absence: Callable[[TrialSummary], Absence | None], arm: str, trials: TrialsByBlock) -> Sentence | None:
    absences = (absence(trial) for trial in trials.values())
    why = reasons((one for one in absences if one is not None and one.is_beyond), len(trials))
    return None if why is None else say("{why} of {arm}", why=why, arm=arm)
