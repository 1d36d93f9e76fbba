"""When the load became steady, by MSER-5 (docs/method.md, Chosen windows).

Rule: leave out as many values at the beginning as make the standard error of the mean of the rest least. White, "An
effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997); means of five: White,
Cobb and Spratt, "A comparison of five steady-state truncation heuristics", Winter Simulation Conference 2000.
"""

import numpy as np
from numpy.typing import NDArray

from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.records.rates import window_rates

_FEWEST = 8
_BATCH = 5
_FEWEST_BATCHES = 10
_AS_GOOD = 2.0
"""The first of the cuts whose error is not much more than the least: with few values the least is often a chance."""
_LEAST_CHANGE = 0.05
"""Of the mean, as in check 21: a smaller transient does not matter."""


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
