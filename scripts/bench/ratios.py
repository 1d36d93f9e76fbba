"""Ratios of paired values with their 95 % interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ngxlab.analysis.statistics.paired import t_quantile


@dataclass(frozen=True, slots=True)
class Estimate:
    """Mean and 95 % interval of log ratios. ``low`` and ``high`` are ``None`` with a single pair."""

    mean: float
    low: float | None
    high: float | None
    pairs: int


def paired(pairs: Sequence[tuple[float, float]]) -> Estimate:
    """Mean log ratio (first / second) and its Student-t interval. Raises ValueError without a pair, or of a zero."""
    if not pairs or any(value <= 0 for pair in pairs for value in pair):
        raise ValueError("a ratio needs at least one pair, and positive values on both sides")
    differences = np.log([first / second for first, second in pairs])
    mean, n = float(differences.mean()), len(pairs)
    if n == 1:
        return Estimate(mean, None, None, 1)
    half = t_quantile(n - 1) * float(differences.std(ddof=1)) / math.sqrt(n)
    return Estimate(mean, mean - half, mean + half, n)


def interval(result: Estimate) -> tuple[float, float] | None:
    """The 95 % interval as ratios; ``None`` for a single pair."""
    if result.low is None or result.high is None:
        return None
    return math.exp(result.low), math.exp(result.high)


def as_ratio(result: Estimate) -> dict[str, Any]:
    """Ratio and interval for people, converted back from logarithms."""
    return {"ratio": math.exp(result.mean), "interval_95": interval(result), "pairs": result.pairs}


def no_more_than_noise(result: Estimate, noise: Estimate) -> bool | None:
    """Whether ``result`` is no further from 1 than the interval of ``noise``; ``None`` where that has no interval."""
    if noise.low is None or noise.high is None:
        return None
    return abs(result.mean) <= max(abs(noise.low), abs(noise.high))
