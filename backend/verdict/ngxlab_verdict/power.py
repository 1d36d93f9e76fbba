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
from ngxlab_verdict.families import ERROR
from ngxlab_verdict.learned import ENOUGH, Scatter, joined
from ngxlab_verdict.quantiles import dunnett_quantile, t_quantile
from ngxlab_verdict.words import Claim

POWER = 0.8
MAX_BLOCKS = 1000
"""No more are counted: a greater number is reported as this one."""
_NODES, _EFFECTS = 48, 24


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

    ``to_decide``: if there is a difference beyond the margin, of what is measured so far; ``None`` where the estimate
    lies within the margin. ``for_none``: to show that there is no change. Both are averaged over what the scatter may
    truly be.
    """

    to_decide: int | None
    for_none: int


_LIKELY = 0.65
"""Effects just beyond the margin are as possible as others here and take no end of blocks, but are seldom the truth:
with this chance over all possible effects, four of five undecided experiments with an effect are decided in time
(docs/simulations.md, "decided")."""

Later = Callable[[int], float]
"""By the number of pairs: the error at a look at so many, as a multiple of that at this look."""


def more_blocks(claim: Claim, margin: float, later: Later = lambda _: 1.0) -> MoreBlocks | None:
    """``None`` unless the claim is primary and undecided with an interval. ``margin``: on the additive scale."""
    seen = _Seen.of(claim, margin)
    if seen is None:
        return None

    def smallest(truths: Floats, chance: float) -> int:
        def decided(more: int) -> bool:
            total = claim.pairs + more
            return seen.decided_at(total, truths, later(total)) >= chance

        return _smallest(1, decided) or MAX_BLOCKS

    to_decide = smallest(seen.beyond_margin, _LIKELY) if abs(seen.estimate) > margin else None
    return MoreBlocks(to_decide, smallest(np.zeros((1, 1)), POWER))


def chance_to_decide(claim: Claim, margin: float, total: int) -> float | None:
    """The chance that an undecided claim is decided by ``total`` pairs, at the same error, given what is measured.

    It is averaged over all effects and all scatter that are possible (predictive power). ``None`` where it is not
    known, as the claim has no interval. ``margin``: on the additive scale.

    Source: D. J. Spiegelhalter, L. S. Freedman, P. R. Blackburn, Monitoring clinical trials: conditional or predictive
    power, Controlled Clinical Trials 7, 1986.
    """
    seen = _Seen.of(claim, margin)
    return None if seen is None else seen.decided_at(total, seen.possible, 1.0) if total > claim.pairs else 0.0


class _Seen(NamedTuple):
    """What an undecided comparison shows, on the additive scale. ``error``: of the estimate."""

    estimate: float
    error: float
    degrees: float
    level: float
    pairs: int
    margin: float

    @classmethod
    def of(cls, claim: Claim, margin: float) -> "_Seen | None":
        if claim.verdict != "undecided" or claim.family != "primary" or claim.estimate is None or margin <= 0:
            return None
        if claim.evidence is None or claim.low is None:
            return None
        error, degrees, level = claim.evidence
        estimate = math.log(claim.estimate) if claim.scale == "ratio" else claim.estimate
        return cls(estimate, error, degrees, level, claim.pairs, margin)

    @property
    def errors(self) -> Floats:
        """What the error of the estimate may truly be: equally likely values. ``[error, 1]``."""
        return self.error / _scales(self.degrees)[:, None]

    @property
    def possible(self) -> Floats:
        """Equally likely effects by each of ``errors``. ``[error, effect]``."""
        return self.estimate + self.errors * scipy.special.ndtri(_places(_EFFECTS))

    @property
    def beyond_margin(self) -> Floats:
        """As ``possible``, of effects that exceed the margin in either direction."""
        below = scipy.special.ndtr((-self.margin - self.estimate) / self.errors)
        above = scipy.special.ndtr((self.estimate - self.margin) / self.errors)
        at = _places(_EFFECTS) * (below + above)
        low, high = scipy.special.ndtri(at), -scipy.special.ndtri(below + above - at)
        return np.asarray(self.estimate + self.errors * np.where(at < below, low, high), np.float64)

    def decided_at(self, total: int, truths: Floats, times: float) -> float:
        """The chance of a decision by ``total`` pairs, over ``truths``, with so many times the error of this look."""
        new = (total - self.pairs) / total
        later = self.degrees * (total - 1) / (self.pairs - 1)
        known = self.degrees / later * self.error**2 + (1 - self.degrees / later) * self.errors**2
        reach = t_quantile(min(self.level * times, ERROR), later) * np.sqrt(known * self.pairs / total)
        centre, spread = (1 - new) * self.estimate + new * truths, self.errors * math.sqrt(new * self.pairs / total)
        return _decided(centre, spread, reach, self.margin)


def _decided(estimate: Floats, spread: Floats, reach: Floats, margin: float) -> float:
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
    return np.asarray(np.sqrt(scipy.special.chdtri(degrees, 1 - _places(_NODES)) / degrees), np.float64)


def _places(count: int) -> Floats:
    """The middles of so many equal parts of the probability from 0 to 1."""
    return np.asarray((np.arange(count) + 0.5) / count, np.float64)
