"""Power: the probability that a comparison is decided, the effect that a plan finds, and the blocks that decide.

A comparison is decided if its interval excludes no change and its estimate exceeds the margin, or if the interval lies
within the margin. Given the true scatter, the first is the noncentral t distribution, cut off at the margin. The
scatter is an estimate too: everything here is averaged over what it may truly be.

Source: J. L. Hodges, E. L. Lehmann, noncentral t in: E. L. Lehmann, Testing Statistical Hypotheses, 1959; A. O'Hagan,
J. W. Stevens, M. J. Campbell, Assurance in clinical trial design, Pharmaceutical Statistics 4, 2005.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy

from ngxlab_verdict.design import Floats
from ngxlab_verdict.learned import ENOUGH, Scatter, joined
from ngxlab_verdict.quantiles import dunnett_quantile, t_quantile
from ngxlab_verdict.words import Claim

POWER = 0.8
MAX_BLOCKS = 1000
"""No more are counted: a greater number is reported as this one."""
_NODES = 48


@dataclass(frozen=True)
class Plan:
    """``arms``: with the baseline. ``level``: the error that the metric's claims may use together.

    ``margin``: on the additive scale. ``learned``: the scatter that the judgement will know from earlier experiments.
    """

    arms: int
    level: float
    margin: float
    learned: Scatter | None = None

    def power(self, scatter: Scatter, effect: float, blocks: int) -> float:
        """The chance that one arm with this effect, on the additive scale, is rightly claimed to differ."""
        true = scatter.deviation / _scales(scatter.degrees)[:, None]
        to_mean = math.sqrt(2 / blocks)
        needed = np.maximum(self.margin, to_mean * self._reach(scatter, float((self.arms - 1) * (blocks - 1))))
        return float(scipy.special.ndtr((abs(effect) - needed) / (to_mean * true)).mean())

    def _reach(self, scatter: Scatter, degrees: float) -> Floats:
        """Half widths of the interval of a mean of two values, for each scatter that may be true and be estimated."""
        return _reach(scatter, degrees, self.level, self.arms, self.learned if degrees < ENOUGH else None)

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


class MoreBlocks(NamedTuple):
    """How many more blocks decide with 80 % power, at most 1,000: two numbers, as nobody knows yet whether arms differ.

    ``to_decide``: if effect and scatter are what they look like; ``None`` of an effect within the margin.
    ``for_none``: to show that there is no change; averaged over what the scatter may truly be.
    """

    to_decide: int | None
    for_none: int


def more_blocks(claim: Claim, margin: float) -> MoreBlocks | None:
    """``None`` unless the claim is primary and undecided with an interval. ``margin``: on the additive scale.

    A comparison that is undecided although its effect is large has, more often than not, an estimate that is too small
    or a scatter that looks too large, so that fewer blocks than these mostly suffice.
    """
    if claim.verdict != "undecided" or claim.family != "primary" or claim.estimate is None or margin <= 0:
        return None
    if claim.evidence is None or claim.low is None:
        return None
    error, degrees, level = claim.evidence
    estimate = math.log(claim.estimate) if claim.scale == "ratio" else claim.estimate

    def decided(more: int, effect: float, error: Floats) -> bool:
        total = claim.pairs + more
        later = degrees * (total - 1) / (claim.pairs - 1)
        then = error * math.sqrt(claim.pairs / total)
        return _decided(effect, then, t_quantile(level, later) * then * _scales(later), margin) >= POWER

    seen, possible = np.full((1, 1), error), error / _scales(degrees)[:, None]
    to_decide = _smallest(1, lambda more: decided(more, estimate, seen)) or MAX_BLOCKS
    for_none = _smallest(1, lambda more: decided(more, 0.0, possible)) or MAX_BLOCKS
    return MoreBlocks(to_decide if abs(estimate) > margin else None, for_none)


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


@lru_cache(maxsize=512)
def _reach(scatter: Scatter, degrees: float, level: float, arms: int, learned: Scatter | None) -> Floats:
    estimated = scatter.deviation / _scales(scatter.degrees)[:, None] * _scales(degrees)
    if learned is None:
        return estimated * dunnett_quantile(level, arms - 1, int(degrees))
    known = [joined(degrees * deviation**2, degrees, learned) for deviation in estimated.ravel().tolist()]
    reach = [one.deviation * dunnett_quantile(level, arms - 1, int(one.degrees)) for one in known]
    return np.reshape(reach, estimated.shape)


@lru_cache(maxsize=4096)
def _scales(degrees: float) -> Floats:
    """Equally likely values of an estimated deviation over the true one."""
    p = (np.arange(_NODES) + 0.5) / _NODES
    return np.asarray(np.sqrt(scipy.special.chdtri(degrees, 1 - p) / degrees), np.float64)
