"""The paired comparison of an arm with the baseline (docs/method.md, Effect and interval, Decision).

The block is the unit of repetition: it holds one fresh trial of each arm, so their log ratio is free of whatever both
trials have in common. Sources: Georges et al., OOPSLA 2007; Kalibera and Jones, ISMM 2013.

Verdicts are reached on an additive scale: ln(arm / baseline) where values are positive and vary by a factor,
arm - baseline where a value may be near zero, such as a coefficient of variation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import stdtrit

from ngxlab.analysis.schemas import Direction, Verdict

MIN_MARGIN = 0.02
CV_MARGIN = 0.05
"""Absolute: smaller differences of CV have no practical importance (0.05 is 5 % of a mean worker's share)."""
MAX_MORE_BLOCKS = 1000
"""No more are counted: a greater number is reported as this one."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Mean and 95 % interval of paired differences. ``low`` and ``high`` are ``None`` with a single pair."""

    mean: float
    stdev: float | None
    low: float | None
    high: float | None
    pairs: int


def noise_margin(aa_half_width: float | None = None) -> float:
    """The margin of ratios: 2 %, or the half width of the host's A/A comparison, if that is wider.

    ``aa_half_width``: of the interval when an arm is compared with itself on this host; 0.03 is 3 %.
    """
    return max(MIN_MARGIN, aa_half_width or 0.0)


def log_ratios(pairs: Sequence[tuple[float, float]]) -> list[float]:
    """``ln(arm / baseline)`` of (arm, baseline) pairs. Raises ValueError where a value is not positive."""
    if any(arm <= 0 or baseline <= 0 for arm, baseline in pairs):
        raise ValueError("a ratio needs positive values on both sides")
    return [math.log(arm / baseline) for arm, baseline in pairs]


def estimate(differences: Sequence[float]) -> Estimate:
    """Student-t interval of the mean: mean ± t(0.975, n - 1) s / sqrt(n). Raises ValueError without a difference."""
    if not differences:
        raise ValueError("no pair to compare")
    n = len(differences)
    mean = float(np.mean(differences))
    if n == 1:
        return Estimate(mean, None, None, None, 1)
    stdev = float(np.std(differences, ddof=1))
    half = t_quantile(n - 1) * stdev / math.sqrt(n)
    return Estimate(mean, stdev, mean - half, mean + half, n)


def judge(result: Estimate, margin: float, direction: Direction) -> tuple[Verdict, int | None]:
    """The verdict, and if inconclusive the number of :func:`more_blocks`.

    ``margin`` is on the scale of the differences: ``ln(1 + delta)`` for log ratios. It is the same on both sides, so
    exchanging the arms exchanges better and worse and changes nothing else.
    """
    if result.low is None or result.high is None:
        return "inconclusive", None
    if -margin < result.low and result.high < margin:
        return "equivalent", None
    if result.low > margin or result.high < -margin:
        return _moved(direction, rose=result.low > margin), None
    return "inconclusive", more_blocks(result, margin)


def _moved(direction: Direction, *, rose: bool) -> Verdict:
    if direction == "neutral":
        return "higher" if rose else "lower"
    return "better" if rose == (direction == "more_is_better") else "worse"


def more_blocks(result: Estimate, margin: float) -> int | None:
    """About how many more blocks narrow the interval's half width to ``margin``, at the same standard deviation.

    The least n with t(0.975, n - 1) s / sqrt(n) <= margin, less the blocks there are; at most ``MAX_MORE_BLOCKS``.
    ``None`` where the interval is narrow enough already and crosses the margin, or where there is no interval.
    """
    if result.stdev is None or result.stdev == 0:
        return None
    if t_quantile(result.pairs - 1) * result.stdev / math.sqrt(result.pairs) <= margin:
        return None
    candidates = range(result.pairs + 1, result.pairs + MAX_MORE_BLOCKS)
    enough = (n - result.pairs for n in candidates if t_quantile(n - 1) * result.stdev / math.sqrt(n) <= margin)
    return next(enough, MAX_MORE_BLOCKS)


@lru_cache(maxsize=2048)
def t_quantile(degrees: int, probability: float = 0.975) -> float:
    return float(stdtrit(degrees, probability))
