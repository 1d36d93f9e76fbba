"""Thresholds judged by intervals: pass, fail, undecided or not valid (docs/method-details.md, Thresholds)."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_verdict import Experiment, Looks, Question, Stage, judge
from ngxlab_verdict.families import ERROR
from ngxlab_verdict.sequential import FIRST_LOOK
from pydantic import BaseModel

from ngxlab.analysis.checks.check import figure
from ngxlab.analysis.metrics import CAPACITY, METRICS, PLATEAU, Absence
from ngxlab.analysis.schemas import LatencySummary, MetricGroup, MetricKey, PlanFacts, RunAnalysis, TrialSummary
from ngxlab.analysis.statistics.histograms import MIN_BEYOND, Histogram
from ngxlab.analysis.statistics.paired import t_quantile
from ngxlab.analysis.statistics.pooled_percentile import pooled_percentile
from ngxlab.analysis.thresholds import OPERATORS, Threshold
from ngxlab.analysis.verdict.claims import usable_by_block
from ngxlab.analysis.verdict.comparison import reason_of
from ngxlab.analysis.verdict.voided import why_void

Outcome = Literal["pass", "fail", "undecided", "not_valid"]
"""``undecided``: the interval lies on both sides of the limit, or there is none. ``not_valid``: a check voids it."""


class ThresholdResult(BaseModel):
    """``low``, ``high``: the 95 % interval of ``observed``, which decides; without one the message says why."""

    text: str
    arm: str
    outcome: Outcome
    observed: float | None
    low: float | None = None
    high: float | None = None
    message: Sentence


class _Interval(NamedTuple):
    observed: float
    low: float | None
    high: float | None
    reason: Sentence = Sentence("")


@dataclass(frozen=True)
class _Metric:
    """``fraction``: of a percentile, that of the responses of all trials. ``counted``: no estimate but a count: its
    greatest value of all trials decides. ``group``: ``None`` for what only a check that voids everything voids.
    ``absence``: as of :class:`Metric`; the trials that have the value do not stand for one that lies beyond."""

    unit: str
    group: MetricGroup | None
    read: Callable[[TrialSummary], float | None]
    counted: bool = False
    fraction: float | None = None
    absence: Callable[[TrialSummary], Absence | None] | None = None


def _latency(read: Callable[[LatencySummary], float | None], fraction: float | None = None) -> _Metric:
    def of_trial(trial: TrialSummary) -> float | None:
        value = read(trial.latency) if trial.latency is not None else None
        return value / 1000 if value is not None else None

    return _Metric("ms", "latency", of_trial, fraction=fraction)


def _errors(trial: TrialSummary) -> float | None:
    """The percentage of failed requests, of the worst stream."""
    shares = [stream.errors.share_percent for stream in trial.streams if stream.errors is not None]
    return max((share for share in shares if share is not None), default=None)


def _steered(key: MetricKey) -> _Metric:
    metric = next(metric for metric in METRICS if metric.info.key == key)
    return _Metric("requests/s", "throughput", metric.value, absence=metric.absence)


_METRICS: Mapping[str, _Metric] = {
    CAPACITY: _steered(CAPACITY),
    PLATEAU: _steered(PLATEAU),
    "requests_per_s": _Metric("requests/s", "throughput", lambda trial: trial.requests_per_s),
    "p50_ms": _latency(lambda latency: latency.p50_us, 0.5),
    "p90_ms": _latency(lambda latency: latency.p90_us, 0.9),
    "p99_ms": _latency(lambda latency: latency.p99_us, 0.99),
    "p999_ms": _latency(lambda latency: latency.p999_us, 0.999),
    "mean_ms": _latency(lambda latency: latency.mean_us),
    "stdev_ms": _latency(lambda latency: latency.stdev_us),
    "max_ms": _latency(lambda latency: latency.max_us),
    "errors_percent": _Metric("%", None, _errors, counted=True),
    "cpu_cv": _Metric("", "balance", lambda trial: trial.balance.cpu_cv if trial.balance else None),
    "connections_cv": _Metric("", "balance", lambda trial: trial.balance.connections_cv if trial.balance else None),
    "cpu_s_per_1000": _Metric("s", "nginx", lambda trial: trial.nginx_cpu_s_per_1000_requests),
}


def evaluate_at(
    thresholds: Sequence[Threshold], analysis: RunAnalysis, trials: Sequence[TrialSummary], plan: PlanFacts
) -> list[ThresholdResult]:
    """As :func:`evaluate`, at the looks of a run. What was decided at an earlier one stands until another decides."""
    if not plan.earlier:
        seen = [one for one in trials if one.block not in plan.open_blocks]
        return evaluate(thresholds, analysis, seen, plan.looks)
    standing: list[ThresholdResult] = []
    for number, stage in enumerate([*plan.earlier, Stage(plan.blocks, plan.looks, plan.spent)]):
        seen = [one for one in trials if one.block <= stage.blocks and one.block not in plan.open_blocks]
        error = ERROR - stage.spent if number else ERROR
        now = evaluate(thresholds, analysis, seen, stage.looks, error=error)
        standing = [
            old if new.outcome == "undecided" and old.outcome in {"pass", "fail"} else new
            for old, new in zip(standing or now, now, strict=True)
        ]
    return standing


def evaluate(
    thresholds: Sequence[Threshold],
    analysis: RunAnalysis,
    trials: Sequence[TrialSummary],
    looks: Looks | None = None,
    *,
    error: float = ERROR,
) -> list[ThresholdResult]:
    """Every threshold for each of its arms. A percentile is that of the responses of all trials, and for ratios of each
    trial. ``looks``: when the outcome may be read, if not at the planned end only. ``error``: of an interval, or at all
    looks together."""
    arms = [arm.key for arm in analysis.arms]
    by_arm = {arm: usable_by_block(trials, arm) for arm in arms}
    results = []
    for threshold in thresholds:
        metric = _METRICS[threshold.metric]
        values = {arm: _values(metric, by_arm[arm]) for arm in arms}
        wanted = [threshold.arm] if threshold.arm is not None else list(arms)
        if threshold.ratio and threshold.arm is None:
            wanted.remove(analysis.baseline)
        ratios = _ratios(values, analysis.baseline, looks, error) if threshold.ratio else {}
        void = why_void(analysis.checks, metric.group)
        for arm in wanted:
            if arm not in values:
                results.append(_open(threshold, arm, "undecided", _absent(analysis, arm)))
            elif void is not None:
                results.append(_open(threshold, arm, "not_valid", void))
            elif (why := _beyond(metric, by_arm, arm, analysis.baseline if threshold.ratio else arm)) is not None:
                results.append(_open(threshold, arm, "undecided", why))
            else:
                own = _percentile if metric.fraction is not None else _own
                interval = ratios.get(arm) if threshold.ratio else own(metric, list(by_arm[arm].values()), looks, error)
                results.append(_judged(threshold, arm, interval, metric.unit))
    return results


def _absent(analysis: RunAnalysis, arm: str) -> Sentence:
    """Why an arm has no trials that count."""
    heats = analysis.selection.heats if analysis.selection is not None else []
    dropped = next((one.number for one in heats for own in one.arms if own.arm == arm and not own.stays), None)
    return say("the run has no such arm") if dropped is None else say("heat {heat} dropped it", heat=dropped)


def overall(results: Iterable[ThresholdResult]) -> Outcome | None:
    """The worst outcome of all: fail, not valid, undecided or pass; ``None`` without thresholds."""
    outcomes = {result.outcome for result in results}
    order: tuple[Outcome, ...] = ("fail", "not_valid", "undecided", "pass")
    return next((outcome for outcome in order if outcome in outcomes), None)


def _values(metric: _Metric, trials: Mapping[int, TrialSummary]) -> dict[int, float]:
    read = {block: metric.read(trial) for block, trial in sorted(trials.items())}
    return {block: value for block, value in read.items() if value is not None}


def _beyond(metric: _Metric, trials: Mapping[str, Mapping[int, TrialSummary]], arm: str, other: str) -> Sentence | None:
    """Why an arm, or the one that it is compared with, has trials whose value lies beyond what could be measured."""
    if metric.absence is None:
        return None
    found = (metric.absence(one) for key in (arm, other) for one in trials[key].values())
    return next((one.why for one in found if one is not None and one.is_beyond), None)


def _percentile(
    metric: _Metric, trials: Sequence[TrialSummary], looks: Looks | None, wanted: float
) -> _Interval | None:
    """The percentile of all responses of an arm, with an interval to which each trial is a cluster."""
    fraction = metric.fraction or 0.0
    known = [Histogram.decode(one.latency_histogram) for one in trials if one.latency_histogram is not None]
    if sum(one.total for one in known) < MIN_BEYOND / (1 - fraction):
        return None
    pooled = pooled_percentile(known, fraction, wanted if looks is None else looks.nominal(wanted))
    value = pooled.value / 1000
    if (few := _too_few(len(known), looks)) is not None:
        return _Interval(value, None, None, few)
    low, high = (end / 1000 if end is not None else None for end in (pooled.low, pooled.high))
    return _Interval(value, low, high)


def _too_few(trials: int, looks: Looks | None) -> Sentence | None:
    if trials == 1:
        return say("a single trial has no interval")
    if looks is not None and trials < FIRST_LOOK:
        return say("before the planned end, {needed} trials are needed", needed=FIRST_LOOK)
    return None


def _own(metric: _Metric, trials: Sequence[TrialSummary], looks: Looks | None, wanted: float) -> _Interval | None:
    """The mean of an arm's trials with Student's interval; geometric where all values are positive."""
    values = [value for one in trials if (value := metric.read(one)) is not None]
    if not values:
        return None
    if metric.counted:
        return _Interval(max(values), max(values), max(values))
    if (few := _too_few(len(values), looks)) is not None:
        return _Interval(math.fsum(values) / len(values), None, None, few)
    error = wanted if looks is None else looks.nominal(wanted)
    logarithmic = min(values) > 0
    numbers = np.log(values) if logarithmic else np.array(values)
    half = t_quantile(len(values) - 1, 1 - error / 2) * float(numbers.std(ddof=1)) / math.sqrt(len(values))
    mean, scale = float(numbers.mean()), math.exp if logarithmic else float
    return _Interval(scale(mean), scale(mean - half), scale(mean + half))


def _ratios(
    values: Mapping[str, Mapping[int, float]], baseline: str, looks: Looks | None, error: float
) -> dict[str, _Interval]:
    """The ratio of every arm to the baseline, with intervals that hold for all arms together."""
    arms = [baseline, *(arm for arm in values if arm != baseline)]
    blocks = sorted({block for of_arm in values.values() for block in of_arm})
    if not blocks:
        return {}
    table = np.array([[[values[arm].get(block, np.nan) for block in blocks] for arm in arms]])
    question = Question(primary=["value"], looks=looks, spent=ERROR - error)
    claims = judge(Experiment(arms, ["value"], table), question)
    return {
        claim.arm: _Interval(claim.estimate, claim.low, claim.high, reason_of(claim) or Sentence(""))
        for claim in claims
        if claim.estimate is not None
    }


def _open(threshold: Threshold, arm: str, outcome: Outcome, reason: Sentence) -> ThresholdResult:
    message = say("not valid: {reason}" if outcome == "not_valid" else "not known: {reason}", reason=reason)
    return ThresholdResult(text=threshold.text, arm=arm, outcome=outcome, observed=None, message=message)


_OUTCOMES: Mapping[Outcome, str] = {
    "pass": "{shown} is {limit}",
    "fail": "{shown} is not {limit}",
    "undecided": "{shown} may or may not be {limit}",
}


def _judged(threshold: Threshold, arm: str, interval: _Interval | None, unit: str) -> ThresholdResult:
    if interval is None:
        missing = (
            "{metric} of {arm} and of the baseline is not known, or zero"
            if threshold.ratio
            else "no usable trial of {arm} has {metric}"
        )
        return _open(threshold, arm, "undecided", say(missing, arm=arm, metric=threshold.metric))
    observed, low, high, reason = interval
    template = "{number} of the baseline" if threshold.ratio else "{number} {unit}" if unit else "{number}"
    shown = say(template, number=figure(observed, 4), unit=unit)
    outcome: Outcome = "undecided"
    if low is None or high is None:
        message = say("{shown}; {reason}", shown=shown, reason=reason)
    else:
        ends = {OPERATORS[threshold.operator](end, threshold.limit) for end in (low, high)}
        outcome = "undecided" if len(ends) > 1 else "pass" if True in ends else "fail"
        if low != high:
            shown = say("{shown} (95 % CI {low} to {high})", shown=shown, low=figure(low, 4), high=figure(high, 4))
        limit = say("{operator} {limit:g}", operator=threshold.operator, limit=threshold.limit)
        message = say(_OUTCOMES[outcome], shown=shown, limit=limit)
    return ThresholdResult.model_validate(
        {
            "text": threshold.text, "arm": arm, "outcome": outcome, "observed": observed,
            "low": low, "high": high, "message": message,
        }
    )  # fmt: skip
