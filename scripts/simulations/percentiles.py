"""Percentiles of latencies by histograms: how far off, arms with other numbers of responses, thresholds."""

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from ngxlab.analysis.statistics.histograms import Histogram
from ngxlab.analysis.statistics.pooled_percentile import pooled_percentile
from ngxlab_verdict import Experiment, Question, judge
from numpy.typing import NDArray
from scipy.stats import norm

from scripts.simulations.tables import Cells, Study, drawn

Floats = NDArray[np.float64]
Latencies = Callable[[np.random.Generator, int], Floats]
"""So many latencies in microseconds."""

HEADS = {
    "percentiles": "latencies | percentile of so many responses | its geometric mean less the truth",
    "counts": "p99 of 20 trials with 1,000 responses each against trials with | a false claim",
    "gates": "`latency_p99` at its limit, 2,000 responses a trial: trials scatter by | trials | passes | fails",
}
_MEDIAN_US = 20_000.0
_DRAWS = 100_000
"""Latencies for each experiment of a row: a single percentile is far off by chance."""


def of_values(values: Floats) -> Histogram:
    """With the index of each value in a histogram of three significant digits."""
    shift = np.maximum(np.frexp(values)[1] - 11, 0)
    return Histogram(3, np.bincount((shift << 10) + (values.astype(np.int64) >> shift)))


def _slow(random: np.random.Generator, count: int) -> Floats:
    """One response in twenty takes ten times as long."""
    slow = np.where(random.random(count) < _SLOW, 10.0, 1.0)
    return np.asarray(_MEDIAN_US * slow * np.exp(_SPREAD * random.standard_normal(count)))


def _slow_quantile(fraction: float) -> float:
    low, high = 0.0, 20 * _MEDIAN_US * 10
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        ratio = math.log(middle / _MEDIAN_US)
        below = (1 - _SLOW) * norm.cdf(ratio / _SPREAD) + _SLOW * norm.cdf((ratio - math.log(10)) / _SPREAD)
        low, high = (middle, high) if below < fraction else (low, middle)
    return high


_SLOW, _SPREAD, _PARETO = 0.05, 0.5, 3.0
LAWS: dict[str, tuple[Latencies, Callable[[float], float]]] = {
    "exponential": (
        lambda random, count: random.exponential(_MEDIAN_US, count),
        lambda fraction: -_MEDIAN_US * math.log(1 - fraction),
    ),
    "log-normal(0.5)": (
        lambda random, count: np.asarray(_MEDIAN_US * np.exp(_SPREAD * random.standard_normal(count))),
        lambda fraction: _MEDIAN_US * math.exp(_SPREAD * float(norm.ppf(fraction))),
    ),
    "Pareto(3)": (
        lambda random, count: np.asarray(_MEDIAN_US * (1 + random.pareto(_PARETO, count))),
        lambda fraction: _MEDIAN_US * (1 - fraction) ** (-1 / _PARETO),
    ),
    "one in twenty slow": (_slow, _slow_quantile),
}


def rows() -> Iterator[Study]:
    for title in LAWS:
        for fraction, responses in ((0.99, 1000), (0.999, 10_000)):
            name = f"{title} | p{100 * fraction:g} of {responses:,}"
            yield Study("percentiles", name, partial(drawn, partial(_bias, title, fraction, responses)))
    for responses in (1000, 2000, 100_000):
        yield Study("counts", f"{responses:,}", partial(drawn, partial(_unequal, responses)))
    for scatter in (0.05, 0.1, 0.3):
        for trials in (5, 20):
            yield Study("gates", f"{100 * scatter:g} % | {trials}", partial(drawn, partial(_gate, scatter, trials)))


def _bias(law: str, fraction: float, responses: int, count: int, random: np.random.Generator) -> Cells:
    latencies, quantile = LAWS[law]
    found = [of_values(latencies(random, responses)).value_at(fraction) for _ in range(count * _DRAWS // responses)]
    error = float(np.log(found).mean()) - math.log(quantile(fraction))
    return [f"{100 * math.expm1(error):+.2f} %"]


def _unequal(responses: int, count: int, random: np.random.Generator) -> Cells:
    false = 0
    for _ in range(count):
        p99 = [[of_values(_slow(random, n)).value_at(0.99) for _ in range(20)] for n in (1000, responses)]
        experiment = Experiment(["a", "b"], ["p99"], np.array([p99]))
        false += judge(experiment, Question(["p99"]))[0].verdict in {"better", "worse"}
    return [false / count]


def _gate(scatter: float, trials: int, count: int, random: np.random.Generator) -> Cells:
    limit = _MEDIAN_US * math.exp(math.hypot(scatter, _SPREAD) * float(norm.ppf(0.99)))
    passes = fails = 0
    for _ in range(count):
        medians = _MEDIAN_US * np.exp(scatter * random.standard_normal(trials))
        parts = [of_values(median * np.exp(_SPREAD * random.standard_normal(2000))) for median in medians]
        _, low, high = pooled_percentile(parts, 0.99, 0.05)
        passes += high is not None and high < limit
        fails += low is not None and low > limit
    return [passes / count, fails / count]
