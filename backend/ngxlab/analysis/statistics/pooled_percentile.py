"""A percentile of all responses of several trials, whose responses are not independent: each trial is a cluster.

The share of responses up to the pooled percentile is a ratio of two sums over trials, whose error their scatter shows;
the interval's ends are the percentiles at that share less and plus its error. Where trials scatter so much that an end
would lie beyond all responses, it is extended from the percentiles nearby (the delta method, on logarithms). Trials
with more responses weigh more.

Sources: R. S. Woodruff, Confidence intervals for medians and other position measures, Journal of the American
Statistical Association 47, 1952; W. G. Cochran, Sampling Techniques, 3rd edition, 1977, chapter 6.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ngxlab.analysis.statistics.histograms import Histogram, add
from ngxlab.analysis.statistics.paired import t_quantile

_FURTHEST = 100.0
"""Steps: further than any use, and no overflow."""


class Pooled(NamedTuple):
    """In microseconds. ``low``, ``high``: ``None`` with a single trial."""

    value: float
    low: float | None
    high: float | None


def pooled_percentile(trials: Sequence[Histogram], fraction: float, error: float) -> Pooled:
    """``trials``: at least one, none of them empty. ``error``: of the interval, 0.05 for 95 %."""
    pooled = add(trials)
    if pooled is None:
        raise ValueError("a percentile of no trials")
    value = pooled.value_at(fraction)
    if len(trials) < 2:
        return Pooled(value, None, None)
    totals = np.array([trial.total for trial in trials], np.float64)
    within = np.array([trial.share_up_to(value) for trial in trials]) * totals
    whole = math.fsum(totals)
    apart = within - totals * (math.fsum(within) / whole)
    count = len(trials)
    deviation = math.sqrt(count / (count - 1) * math.fsum(apart**2)) / whole
    reach = t_quantile(count - 1, 1 - error / 2)
    return Pooled(value, *(_end(pooled, fraction, side * deviation, reach) for side in (-1, 1)))


def _end(pooled: Histogram, fraction: float, deviation: float, reach: float) -> float:
    """``deviation``: standard error of the share, negative for the lower end."""
    beyond = (1 - fraction) if deviation > 0 else fraction
    if abs(deviation) * reach < beyond:
        return pooled.value_at(fraction + deviation * reach)
    step = math.copysign(min(abs(deviation), beyond / 2), deviation)
    value, near = (max(one, 1.0) for one in pooled.values_at([fraction, fraction + step]))
    return float(value * (near / value) ** min(reach * deviation / step, _FURTHEST))
