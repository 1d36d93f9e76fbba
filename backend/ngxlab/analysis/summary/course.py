"""When the load became steady, by MSER-5 (docs/method-details.md, Chosen windows).

Rule: leave out as many values at the beginning as make the standard error of the mean of the rest least. White, "An
effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997); means of five: White,
Cobb and Spratt, "A comparison of five steady-state truncation heuristics", Winter Simulation Conference 2000.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from ngxlab_contracts.telemetry import LatencyInterval
from numpy.typing import NDArray

from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.records.trial_record import window_rates, window_slots
from ngxlab.analysis.statistics.histograms import Histogram, merge

_BATCHES = 10
_FEWEST_RESPONSES = 100
"""A batch has at least so many, for its p99 to be an observed value of the tail."""
_PERCENTILES: Mapping[str, float] = {"latency_p50_us": 0.5, "latency_p99_us": 0.99}


def within_variance(record: TrialRecord) -> dict[str, float]:
    """The variance of ln(value) by metric: requests/s from the window's intervals, percentiles from ten parts of it.

    Empty with fewer than eight intervals. A percentile of the whole varies as the mean of its parts' percentiles does.
    """
    slots = window_slots(record, probes=False)
    if len(slots) < _FEWEST:
        return {}
    counts = np.array([sum(interval.count for interval in slot) for slot in slots], np.float64)
    if not counts.all():
        return {}
    found = {"requests_per_s": variance_of_mean(counts) / float(counts.mean()) ** 2}
    parts = list(_parts(slots))
    if parts and min(part.total for part in parts) >= _FEWEST_RESPONSES:
        for metric, fraction in _PERCENTILES.items():
            found[metric] = variance_of_mean(np.log([part.value_at(fraction) for part in parts]))
    return found


def _parts(slots: Sequence[Sequence[LatencyInterval]]) -> Iterator[Histogram]:
    """Equal parts of the window, one after the other; intervals at the end that fill no part are left out."""
    size = -(-len(slots) // _BATCHES)
    for start in range(0, len(slots) - size + 1, size):
        part = merge(interval.histogram for slot in slots[start : start + size] for interval in slot)
        if part is not None:
            yield part


_MOST_ALIKE = 0.95


def variance_of_mean(values: NDArray[np.float64]) -> float:
    """s²/n · (1 + r)/(1 − r), as for an AR(1) series: two values or more may be alike from one to the next.

    The correlation r is underestimated by about 1/n, which is added. Simulated series of 30 values with correlations
    of 0 to 0.8 give 0.9 to 1.15 times the true variance on average (``backend/tests/analysis/statistics``).
    """
    centred = values - values.mean()
    squares = float(centred @ centred)
    if squares <= 0:
        return 0.0
    alike = float(centred[1:] @ centred[:-1]) / squares + 1 / values.size
    alike = min(max(alike, 0.0), _MOST_ALIKE)
    return squares / (values.size - 1) / values.size * (1 + alike) / (1 - alike)


_FEWEST = 8
_BATCH = 5
_FEWEST_BATCHES = 10
_AS_GOOD = 2.0
"""The first of the cuts whose error is not much more than the least: with few values the least is often a chance."""
_LEAST_CHANGE = 0.05
"""A transient that is a smaller fraction of the mean does not matter, as in check 21."""


def steady_from_s(record: TrialRecord) -> float | None:
    """Seconds from the start of the planned window to the steady state; ``None`` where the window begins with it, where
    none is found in its first half, and in a window that was chosen."""
    if record.chosen is not None or not record.loading:
        return None
    rates = window_rates(record)
    cut = transient(rates)
    interval_s = record.loading[0].spec.sampling.histogram_interval_ms / 1000
    return cut * interval_s if cut else None


def transient(rates: NDArray[np.float64]) -> int:
    """The number of values to leave out at the beginning; 0 for none. With few values each counts by itself."""
    if rates.size < _FEWEST:
        return 0
    size = _BATCH if rates.size >= _BATCH * _FEWEST_BATCHES else 1
    means = rates[: rates.size // size * size].reshape(-1, size).mean(axis=1)
    cuts = np.arange(means.size // 2 + 1)
    errors = np.array([means[cut:].var() / (means.size - cut) for cut in cuts])
    best = int(np.argmax(errors <= _AS_GOOD * errors.min()))
    if best in {0, cuts.size - 1}:  # the rule's own limit: the steady state is not in the first half
        return 0
    before, after = float(means[:best].mean()), float(means[best:].mean())
    return best * size if after > 0 and abs(before / after - 1) > _LEAST_CHANGE else 0
