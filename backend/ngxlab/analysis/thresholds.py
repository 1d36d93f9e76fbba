"""Thresholds: what makes a run pass or fail.

Grammar: ``METRIC [ratio] OPERATOR NUMBER [for ARM]``, for instance ``p99_ms < 20``,
``requests_per_s ratio > 0.98`` or ``errors_percent <= 0 for threads.32``. With ``ratio`` the arm's value is divided
by the baseline's. A threshold without an arm is for every arm; with ``ratio`` for every arm except the baseline.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from pydantic import BaseModel, Field

from ngxlab.analysis.schemas import ArmAnalysis, ArmMetric, MetricKey, RunAnalysis, TrialSummary

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MS = 1e-3


@dataclass(frozen=True)
class _Metric:
    """``compared``: key of the metric with value and interval; ``pooled``: reads the arm's pooled latency instead."""

    unit: str
    scale: float = 1.0
    compared: MetricKey | None = None
    pooled: Callable[[ArmAnalysis], float | None] | None = None


def _latency(name: str) -> Callable[[ArmAnalysis], float | None]:
    return lambda arm: getattr(arm.latency, name) if arm.latency is not None else None


METRICS: Mapping[str, _Metric] = {
    "requests_per_s": _Metric("requests/s", compared="requests_per_s"),
    "p50_ms": _Metric("ms", _MS, compared="latency_p50_us"),
    "p90_ms": _Metric("ms", _MS, pooled=_latency("p90_us")),
    "p99_ms": _Metric("ms", _MS, compared="latency_p99_us"),
    "p999_ms": _Metric("ms", _MS, pooled=_latency("p999_us")),
    "mean_ms": _Metric("ms", _MS, compared="latency_mean_us"),
    "stdev_ms": _Metric("ms", _MS, compared="latency_stdev_us"),
    "max_ms": _Metric("ms", _MS, pooled=_latency("max_us")),
    "errors_percent": _Metric("%"),
    "cpu_cv": _Metric("", compared="worker_cpu_cv"),
    "connections_cv": _Metric("", compared="worker_connections_cv"),
    "cpu_s_per_1000": _Metric("s", compared="cpu_s_per_1000_requests"),
}


class ThresholdError(ValueError):
    """The text is not a threshold. ``word`` (from 1) is the first wrong word."""

    def __init__(self, word: int, message: str) -> None:
        super().__init__(f"word {word}: {message}")
        self.word = word


@dataclass(frozen=True)
class Threshold:
    text: str
    metric: str
    ratio: bool
    operator: str
    limit: float
    arm: str | None


class ThresholdResult(BaseModel):
    """``passed`` is ``None`` if the threshold cannot be evaluated; then the message says why.

    ``certain`` (ratios only): the whole 95 % interval lies on the same side of the limit as the estimate; ``None``
    without an interval.
    """

    text: str
    arm: str
    passed: bool | None
    observed: float | None
    certain: bool | None = Field(default=None)
    message: str


def parse(text: str) -> Threshold:
    """Raises ThresholdError, which names the wrong word."""
    words = text.split()
    given = iter(enumerate([*words, ""], start=1))
    at, metric = next(given)
    if metric not in METRICS:
        raise ThresholdError(at, _unknown_metric(metric))
    at, word = next(given)
    if ratio := word == "ratio":
        at, word = next(given, (at + 1, ""))
    if word not in _OPERATORS:
        raise ThresholdError(at, f"{_shown(word)} must be one of {' '.join(_OPERATORS)}")
    at, number = next(given, (at + 1, ""))
    limit = _number(at, number)
    at, preposition = next(given, (at + 1, ""))
    arm = None
    if preposition:
        if preposition != "for":
            raise ThresholdError(
                at, f"{_shown(preposition)} is not expected; a threshold ends here, or continues with: for ARM"
            )
        at, arm = next(given, (at + 1, ""))
        if not arm:
            raise ThresholdError(at, "'for' must be followed by an arm's key")
        at, rest = next(given, (at + 1, ""))
        if rest:
            raise ThresholdError(at, f"{_shown(rest)} is not expected after the arm")
    return Threshold(text, metric, ratio, word, limit, arm)


def _shown(word: str) -> str:
    return f"'{word}'" if word else "the missing word"


def _unknown_metric(word: str) -> str:
    close = get_close_matches(word, METRICS, n=2)
    hint = f"did you mean {' or '.join(close)}?" if close else f"the metrics are {', '.join(METRICS)}"
    return f"{_shown(word)} is not a metric; {hint}"


def _number(at: int, word: str) -> float:
    try:
        limit = float(word)
    except ValueError:
        raise ThresholdError(at, f"{_shown(word)} must be a number") from None
    if limit != limit or limit in {float("inf"), float("-inf")}:  # noqa: PLR0124 (only NaN differs from itself)
        raise ThresholdError(at, f"'{word}' must be a finite number")
    return limit


def error_shares(trials: Iterable[TrialSummary]) -> dict[str, float]:
    """By arm: the percentage of failed requests, of the worst stream in any usable trial."""
    worst: dict[str, float] = {}
    for trial in trials:
        shares = [stream.errors.share_percent for stream in trial.streams if stream.errors is not None]
        for share in shares:
            if trial.usable and share is not None:
                worst[trial.arm] = max(share, worst.get(trial.arm, 0.0))
    return worst


def evaluate(
    thresholds: Sequence[Threshold], analysis: RunAnalysis, errors_percent: Mapping[str, float]
) -> list[ThresholdResult]:
    """Every threshold for each of its arms. ``errors_percent``: see :func:`error_shares`."""
    arms = {arm.key: arm for arm in analysis.arms}
    results = []
    for threshold in thresholds:
        wanted = [threshold.arm] if threshold.arm is not None else list(arms)
        if threshold.ratio and threshold.arm is None:
            wanted.remove(analysis.baseline)
        for key in wanted:
            if key in arms:
                results.append(_evaluate(threshold, arms[key], arms[analysis.baseline], errors_percent))
            else:
                results.append(_unknown(threshold, key, "the run has no such arm"))
    return results


def passed(results: Iterable[ThresholdResult]) -> bool | None:
    """Whether all hold; ``None`` without thresholds, or if one cannot be evaluated and no other is broken."""
    words = [result.passed for result in results]
    if False in words:
        return False
    return None if None in words or not words else True


def _unknown(threshold: Threshold, arm: str, reason: str) -> ThresholdResult:
    return ThresholdResult(text=threshold.text, arm=arm, passed=None, observed=None, message=f"not known: {reason}")


def _evaluate(
    threshold: Threshold, arm: ArmAnalysis, baseline: ArmAnalysis, errors_percent: Mapping[str, float]
) -> ThresholdResult:
    metric = METRICS[threshold.metric]
    value = _value(threshold.metric, metric, arm, errors_percent)
    if value is None:
        return _unknown(threshold, arm.key, f"no usable trial of {arm.key} has {threshold.metric}")
    certain, unit = None, metric.unit
    if threshold.ratio:
        reference = _value(threshold.metric, metric, baseline, errors_percent)
        if not reference:
            reason = f"{threshold.metric} of the baseline is {'zero' if reference == 0 else 'not known'}"
            return _unknown(threshold, arm.key, reason)
        value, certain = _ratio(threshold, metric, arm, value / reference)
        unit = "of the baseline"
    holds = _OPERATORS[threshold.operator](value, threshold.limit)
    doubt = "; the 95 % interval lies on both sides of the limit" if certain is False else ""
    message = f"{value:.4g} {unit}".rstrip() + (" is" if holds else " is not") + f" {threshold.operator} "
    message += f"{threshold.limit:g}{doubt}"
    return ThresholdResult(
        text=threshold.text, arm=arm.key, passed=holds, observed=value, certain=certain, message=message
    )


def _value(name: str, metric: _Metric, arm: ArmAnalysis, errors_percent: Mapping[str, float]) -> float | None:
    if name == "errors_percent":
        return errors_percent.get(arm.key)
    if metric.pooled is not None:
        value = metric.pooled(arm)
    else:
        own = _compared(metric, arm)
        value = own.mean if own is not None else None
    return value * metric.scale if value is not None else None


def _compared(metric: _Metric, arm: ArmAnalysis) -> ArmMetric | None:
    return next((one for one in arm.metrics if one.metric == metric.compared), None)


def _ratio(threshold: Threshold, metric: _Metric, arm: ArmAnalysis, of_means: float) -> tuple[float, bool | None]:
    """The paired estimate, else the ratio of the means; and whether the whole interval agrees with it."""
    own = _compared(metric, arm)
    comparison = own.comparison if own is not None else None
    if comparison is None or comparison.scale != "ratio":
        return of_means, None
    compare = _OPERATORS[threshold.operator]
    if comparison.ci_low is None or comparison.ci_high is None:
        return comparison.estimate, None
    ends = {compare(end, threshold.limit) for end in (comparison.ci_low, comparison.ci_high)}
    return comparison.estimate, len(ends) == 1
