"""Ratios of paired values with their 95 % interval, by the product's own procedure."""

import math
from collections.abc import Sequence
from typing import Any

from ngxlab.analysis.statistics.paired import Estimate, estimate, log_ratios


def paired(pairs: Sequence[tuple[float, float]]) -> Estimate:
    """Mean log ratio (first / second) and its interval. Raises ValueError where there is no pair, or a zero."""
    return estimate(log_ratios(pairs))


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
