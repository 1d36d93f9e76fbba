"""Power: the probability that a comparison is decided, the effect that a plan finds, and the blocks that decide.

A comparison is decided if its interval excludes no change and its estimate exceeds the margin, or if the interval lies
within the margin. Given the true scatter, the first is the noncentral t distribution, cut off at the margin. The
scatter is an estimate too: everything here is averaged over what it may truly be.

Source: J. L. Hodges, E. L. Lehmann, noncentral t in: E. L. Lehmann, Testing Statistical Hypotheses, 1959; A. O'Hagan,
J. W. Stevens, M. J. Campbell, Assurance in clinical trial design, Pharmaceutical Statistics 4, 2005; G. Schwarz,
Estimating the dimension of a model, Annals of Statistics 6, 1978.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy

from ngxlab_verdict.design import Floats
from ngxlab_verdict.quantiles import dunnett_quantile, t_quantile
from ngxlab_verdict.words import Claim

POWER = 0.8
MAX_BLOCKS = 1000
"""No more are counted: a greater number is reported as this one."""
_NODES = 48


class Scatter(NamedTuple):
    """``deviation``: of one value within its block, on the additive scale. ``degrees``: those of its estimate."""

    deviation: float
    degrees: float


@dataclass(frozen=True)
class Plan:
    """``arms``: with the baseline. ``level``: the error that the metric's claims may use together.

    ``margin``: on the additive scale.
    """

    arms: int
    level: float
    margin: float

    def power(self, scatter: Scatter, effect: float, blocks: int) -> float:
        """The chance that one arm with this effect, on the additive scale, is rightly claimed to differ."""
        degrees = float((self.arms - 1) * (blocks - 1))
        critical = dunnett_quantile(self.level, self.arms - 1, int(degrees))
        error = scatter.deviation * math.sqrt(2 / blocks) / _scales(scatter.degrees)[:, None]
        needed = np.maximum(self.margin, critical * error * _scales(degrees))
        return float(scipy.special.ndtr((abs(effect) - needed) / error).mean())

    def smallest_effect(self, scatter: Scatter, blocks: int) -> float | None:
        """The effect that ``blocks`` blocks find with 80 % power; ``None`` if that is more than a factor of 1,000."""
        low, high = 0.0, math.log(1000) if scatter.deviation < 1 else 1e4 * scatter.deviation
        if blocks < 2 or self.power(scatter, high, blocks) < POWER:
            return None
        while high - low > 1e-4 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.power(scatter, middle, blocks) >= POWER else (middle, high)
        return high

    def blocks_for(self, scatter: Scatter, effect: float) -> int | None:
        """The number of blocks that find ``effect`` with 80 % power; ``None`` within the margin, and beyond 1,000."""
        if abs(effect) <= self.margin:
            return None
        return _smallest(2, lambda blocks: self.power(scatter, effect, blocks) >= POWER)


def more_blocks(claim: Claim, margin: float) -> int | None:
    """After how many more blocks 80 % of such comparisons are decided, at most 1,000; ``None`` unless undecided.

    Effect and scatter are known from the claim's own blocks only, so what a run with so many more blocks will show is
    predicted, averaged over what both may truly be. The number suffices if there is no change; and also if it is not
    known whether there is none, or an effect like the estimate, within its t distribution. The likelihoods of the two
    are weighted as by Schwarz's criterion.
    """
    if claim.verdict != "undecided" or claim.evidence is None or claim.estimate is None or margin <= 0:
        return None
    error, degrees, level = claim.evidence
    estimate = math.log(claim.estimate) if claim.scale == "ratio" else claim.estimate

    no_change = 1 / (1 + (1 + (estimate / error) ** 2 / degrees) ** ((degrees + 1) / 2) / math.sqrt(claim.pairs))

    def decided(more: int) -> bool:
        total = claim.pairs + more
        later = degrees * (total - 1) / (claim.pairs - 1)
        now = error / _scales(degrees)[:, None]
        then = now * math.sqrt(claim.pairs / total)
        reach = t_quantile(level, later) * then * _scales(later)
        as_nothing = _decided(0.0, then, reach, margin)
        as_estimated = _decided(estimate, np.hypot(now, then), reach, margin)
        return bool(as_nothing >= POWER <= no_change * as_nothing + (1 - no_change) * as_estimated)

    return _smallest(1, decided) or MAX_BLOCKS


def _decided(estimate: float, spread: Floats, reach: Floats, margin: float) -> float:
    """``spread``: deviation of the later estimate around ``estimate``. ``reach``: half width of the later interval."""
    needed, inner = np.maximum(margin, reach), np.maximum(margin - reach, 0)
    differs = scipy.special.ndtr((estimate - needed) / spread) + scipy.special.ndtr((-estimate - needed) / spread)
    equivalent = scipy.special.ndtr((inner - estimate) / spread) - scipy.special.ndtr((-inner - estimate) / spread)
    return float((differs + equivalent).mean())


def _smallest(low: int, holds: Callable[[int], bool]) -> int | None:
    """The smallest number from ``low`` to 1,000 for which it holds, taking it to hold for all greater ones."""
    high = low
    while not holds(high):
        if high >= MAX_BLOCKS:
            return None
        low, high = high + 1, min(2 * high, MAX_BLOCKS)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return high


@lru_cache(maxsize=4096)
def _scales(degrees: float) -> Floats:
    """Equally likely values of an estimated deviation over the true one."""
    p = (np.arange(_NODES) + 0.5) / _NODES
    return np.asarray(np.sqrt(scipy.special.chdtri(degrees, 1 - p) / degrees), np.float64)
