"""The metrics in which arms are compared: ``metrics.toml`` declares them.

Most read one of a trial's ``metric_values``, which a module of :mod:`ngxlab.analysis.summary` computes; the others have
a reader here, by key.
"""

import math
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_contracts.telemetry import CacheStatus

from ngxlab.analysis.schemas import (
    Balance,
    Direction,
    LatencySummary,
    MetricGroup,
    MetricInfo,
    MetricKey,
    Scale,
    TrialSummary,
)
from ngxlab.analysis.statistics.histograms import MIN_COUNT_FOR_P99
from ngxlab.analysis.statistics.paired import CV_MARGIN

CAPACITY: MetricKey = "capacity_per_s"
PLATEAU: MetricKey = "plateau_per_s"

Reader = Callable[[TrialSummary], float | None]
"""``None`` if the trial did not measure it."""


class Absence(NamedTuple):
    """Why a trial has no value. ``is_beyond``: the value lies beyond what could be measured, so that a comparison
    without the trial would be one of the trials that happened to lie within."""

    why: Sentence
    is_beyond: bool


class Metric(NamedTuple):
    """``phrase`` is its name in a sentence. ``margin``, in the metric's unit, is used where differences are compared.

    ``expected``: the metric is shown even if no trial of the run has it. ``stream``: it is of this stream alone.
    ``responses``, ``needs``: of a percentile that is hidden below so many responses, how many a trial had.
    ``ended_if``: of a duration, the key of ``metric_values`` that is 0 where the window ended first. ``absence``: why a
    trial that looked for the value has none; ``None`` where it has one, or did not look for it. ``ceiling``: the
    greatest value possible in a trial, of a metric that is never below 0.
    """

    info: MetricInfo
    phrase: str
    value: Reader
    margin: float = CV_MARGIN
    expected: bool = False
    stream: str | None = None
    ended_if: str | None = None
    absence: Callable[[TrialSummary], Absence | None] | None = None
    ceiling: Reader | None = None
    responses: Reader | None = None
    needs: int = 0

    @property
    def name(self) -> str:
        """Its key; of a single stream, ``STREAM.KEY``. A plan names its primary metrics so."""
        return self.info.key if self.stream is None else f"{self.stream}.{self.info.key}"


def reasons(absences: Iterable[Absence], of: int) -> Sentence | None:
    """Each reason with how many of so many trials it holds for; ``None`` without any."""
    counts = Counter(absence.why for absence in absences)
    if not counts:
        return None
    said = (say("{why} in {count} of {trials} trials", why=why, count=n, trials=of) for why, n in counts.items())
    return listed(said, ", ")


def keyed_metric(
    key: str,
    title: str,
    unit: str,
    phrase: str,
    *,
    group: MetricGroup,
    direction: Direction = "neutral",
    scale: Scale = "ratio",
    margin: float = CV_MARGIN,
) -> Metric:
    """A metric that reads :attr:`TrialSummary.metric_values` at ``key``.

    Values that may be zero have no ratio: compare them by ``difference``, with a ``margin`` in ``unit``.
    """
    info = MetricInfo(key=key, title=title, unit=unit, direction=direction, scale=scale, group=group)
    return Metric(info, phrase, _kept_at(key), margin)


def _kept_at(key: MetricKey) -> Reader:
    return lambda summary: summary.metric_values.get(key)


def metrics_of(trials: Iterable[TrialSummary]) -> list[Metric]:
    """The metrics that at least one trial has or looked for, and those that are always shown.

    A neutral metric that is zero in all trials is left out too.
    """
    summaries = list(trials)
    shown = [metric for metric in METRICS if metric.expected or _is_shown(metric, summaries)]
    return [_with_goal(metric, summaries) if metric.info.key == CAPACITY else metric for metric in shown]


def _with_goal(capacity: Metric, trials: Sequence[TrialSummary]) -> Metric:
    """The capacity with its goal in the phrase, where all trials had the same."""
    goals = list(dict.fromkeys(search.goal_text for trial in trials for search in trial.searches))
    return capacity._replace(phrase=say("capacity at {goal}", goal=goals[0])) if len(goals) == 1 else capacity


def _is_shown(metric: Metric, trials: Sequence[TrialSummary]) -> bool:
    if metric.absence is not None and any(map(metric.absence, trials)):
        return True
    values = [value for trial in trials if (value := metric.value(trial)) is not None]
    return any(values) if metric.info.direction == "neutral" else bool(values)


def _capacity_absence(trial: TrialSummary) -> Absence | None:
    for search in trial.searches:
        if search.without_value is not None:
            return Absence(search.without_value, search.ended in {"every-rate", "no-rate", "generator"})
    return None


def _plateau_absence(trial: TrialSummary) -> Absence | None:
    for curve in trial.curves:
        if curve.without_plateau is not None:
            return Absence(curve.without_plateau, curve.followed_all)
    return None


def _latency(read: Callable[[LatencySummary], float | None]) -> Reader:
    return lambda summary: read(summary.latency) if summary.latency is not None else None


def _balance(read: Callable[[Balance], float | None]) -> Reader:
    return lambda summary: read(summary.balance) if summary.balance is not None else None


_READERS: Mapping[MetricKey, Reader] = {
    "requests_per_s": lambda summary: summary.requests_per_s,
    "latency_p50_us": _latency(lambda latency: latency.p50_us),
    "latency_p99_us": _latency(lambda latency: latency.p99_us),
    "latency_mean_us": _latency(lambda latency: latency.mean_us),
    "latency_stdev_us": _latency(lambda latency: latency.stdev_us),
    "cpu_s_per_1000_requests": lambda summary: summary.nginx_cpu_s_per_1000_requests,
    "worker_cpu_cv": _balance(lambda balance: balance.cpu_cv),
    "worker_connections_cv": _balance(lambda balance: balance.connections_cv),
}
_ONE_WORKER_HAS_ALL = _balance(lambda balance: math.sqrt(balance.workers - 1))
_CEILINGS: Mapping[MetricKey, Reader] = {
    **dict.fromkeys(
        (
            "rejected_percent",
            "worker_blocked_percent",
            "iowait_percent",
            "resumed_handshakes_percent",
            "compressed_percent",
            *(f"cache_{status}_percent" for status in get_args(CacheStatus)),
        ),
        lambda _: 100,
    ),
    **dict.fromkeys(("worker_cpu_cv", "worker_connections_cv", "worker_requests_cv"), _ONE_WORKER_HAS_ALL),
}


def _declared() -> Iterator[Metric]:
    for declared in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["metrics"]:
        info = MetricInfo.model_validate({name: declared.pop(name) for name in MetricInfo.model_fields})
        value, ceiling = _READERS.get(info.key, _kept_at(info.key)), _CEILINGS.get(info.key)
        metric = Metric(info=info, value=value, ceiling=ceiling, **declared)
        if info.key == "latency_p99_us":
            metric = metric._replace(responses=_latency(lambda latency: latency.count), needs=MIN_COUNT_FOR_P99)
        if info.key == CAPACITY:
            metric = metric._replace(absence=_capacity_absence)
        if info.key == PLATEAU:
            metric = metric._replace(absence=_plateau_absence)
        yield metric


METRICS: tuple[Metric, ...] = tuple(_declared())
