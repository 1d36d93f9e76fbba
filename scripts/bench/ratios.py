"""Means with their 95 % interval by Student's t, of differences and of ratios of paired values; percentiles."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from ngxlab.analysis.statistics.paired import t_quantile


class Ratio(NamedTuple):
    """The geometric mean of the pairs' ratios."""

    ratio: float
    interval_95: tuple[float, float]
    pairs: int


def mean_interval(values: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """The mean and its interval; of two values at least."""
    mean = float(np.mean(values))
    half = t_quantile(len(values) - 1) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return mean, (mean - half, mean + half)


def paired(pairs: Sequence[tuple[float, float]]) -> Ratio:
    """First / second. Raises ValueError of values that are not positive."""
    if any(value <= 0 for pair in pairs for value in pair):
        raise ValueError("a ratio needs positive values on both sides")
    mean, (low, high) = mean_interval([math.log(first / second) for first, second in pairs])
    return Ratio(math.exp(mean), (math.exp(low), math.exp(high)), len(pairs))


def no_more_than_noise(result: Ratio, noise: Ratio) -> bool:
    return abs(math.log(result.ratio)) <= max(abs(math.log(end)) for end in noise.interval_95)


def percentile(values: Sequence[float], percent: float) -> float:
    return float(np.percentile(values, percent)) if len(values) else float("nan")
