"""Coarse values: counted in whole seconds, milliseconds or pieces, so that pairs tie and a standard error means little.

The interval is exact: that of the signed-rank test, whose ends are means of two differences (Walsh averages). Each
value is known to half a step, so each end is moved by what a step can change; no interval is narrower than that.

Sources: J. L. Hodges, E. L. Lehmann, Estimates of location based on rank tests, Annals of Mathematical Statistics 34,
1963; J. W. Tukey, The simplest signed-rank tests, Princeton memorandum 17, 1949.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from ngxlab_verdict.decision import Interval
from ngxlab_verdict.design import Floats
from ngxlab_verdict.words import Reason, Scale


def is_coarse(own: Floats, base: Floats) -> bool:
    """Whether at least half of the values repeat others, and nearly half of the pairs' differences do."""
    values, differences = np.concatenate([own, base]), np.round(own - base, 12)
    return len(np.unique(values)) <= len(own) and len(np.unique(differences)) <= (len(own) + 1) // 2


EXACT_UP_TO = 250
"""Pairs. Beyond, the sum of ranks is taken as normal: its chances then differ by less than one in a hundred."""


class Ranked(NamedTuple):
    """``chance``: the largest error at which the interval excludes no change."""

    interval: Interval
    chance: float


def rank_interval(own: Floats, base: Floats, scale: Scale, alpha: float) -> Ranked | str:
    """From the pairs of ``own`` and ``base``, as measured, with the Hodges-Lehmann estimate; or why there is none."""
    distinct = np.unique(np.concatenate([own, base]))
    if len(distinct) < 2:
        return "the values are identical"
    needed = pairs_needed(alpha)
    if len(own) < needed:
        return Reason(
            "the values are too coarse for an interval from {pairs} pairs: an exact one needs {needed}",
            pairs=len(own),
            needed=needed,
        )
    half = float(np.diff(distinct).min()) / 2
    if scale == "ratio" and base.min() <= half:
        return "the values are too coarse for a ratio"
    lowest, middle, highest = (walsh(_differences(own, base, scale, shift)) for shift in (-half, 0.0, half))
    outside = outside_ranks(len(own), alpha)
    low, high = lowest.at(outside - 1), highest.at(highest.total - outside)
    beyond = min(lowest.up_to(0.0), highest.total - highest.below(0.0))
    chance = min(2 * chance_of_ranks(len(own), beyond), 1.0)
    return Ranked(Interval(middle.median, low, high), chance)


def pairs_needed(alpha: float) -> int:
    """With fewer, even equal signs of all differences are more likely than ``alpha``."""
    return int(np.ceil(1 - np.log2(alpha)))


def _differences(own: Floats, base: Floats, scale: Scale, shift: float) -> Floats:
    """With each value moved by half a step, which makes the differences smallest or largest."""
    if scale == "difference":
        return own - base + 2 * shift
    return np.log(np.maximum(own + shift, 1e-3 * own)) - np.log(base - shift)


class Walsh(NamedTuple):
    """The means of all pairs of differences, each with itself too: distinct ones in ascending order.

    ``cumulative``: how many there are up to each. Coarse values have far fewer distinct means than pairs of pairs.
    """

    means: Floats
    cumulative: NDArray[np.int64]

    @property
    def total(self) -> int:
        return int(self.cumulative[-1])

    def at(self, rank: int) -> float:
        """``rank``: from 0."""
        return float(self.means[np.searchsorted(self.cumulative, rank, side="right")])

    @property
    def median(self) -> float:
        return (self.at((self.total - 1) // 2) + self.at(self.total // 2)) / 2

    def up_to(self, value: float) -> int:
        return self._first(int(np.searchsorted(self.means, value, side="right")))

    def below(self, value: float) -> int:
        return self._first(int(np.searchsorted(self.means, value)))

    def _first(self, distinct: int) -> int:
        return int(self.cumulative[distinct - 1]) if distinct else 0


def walsh(differences: Floats) -> Walsh:
    distinct, counts = np.unique(differences, return_counts=True)
    first, second = np.triu_indices(len(distinct))
    means = (distinct[first] + distinct[second]) / 2
    pairs = np.where(first == second, counts[first] * (counts[first] + 1) // 2, counts[first] * counts[second])
    order = np.argsort(means)
    return Walsh(means[order], np.cumsum(pairs[order]))


def outside_ranks(pairs: int, alpha: float) -> int:
    """The rank from either end of the Walsh average that is the end of the interval."""
    if pairs > EXACT_UP_TO:
        mean, deviation = _sum_of_ranks(pairs)
        return int(np.floor(mean + deviation * scipy.special.ndtri(alpha / 2) - 0.5)) + 1
    return int(np.searchsorted(np.cumsum(_signed_rank(pairs)), alpha / 2, side="right"))


def chance_of_ranks(pairs: int, most: int) -> float:
    """That the ranks with a positive sign add up to ``most`` at most, if signs are equally likely."""
    if pairs > EXACT_UP_TO:
        mean, deviation = _sum_of_ranks(pairs)
        return float(scipy.special.ndtr((most + 0.5 - mean) / deviation))
    return float(_signed_rank(pairs)[: most + 1].sum())


def _sum_of_ranks(pairs: int) -> tuple[float, float]:
    """Mean and standard deviation."""
    return pairs * (pairs + 1) / 4, float(np.sqrt(pairs * (pairs + 1) * (2 * pairs + 1) / 24))


@lru_cache(maxsize=64)
def _signed_rank(pairs: int) -> NDArray[np.float64]:
    """The probability of each sum of the ranks with a positive sign, if signs are equally likely."""
    probability = np.ones(1)
    for rank in range(1, pairs + 1):
        longer = np.zeros(len(probability) + rank)
        longer[: len(probability)] += probability / 2
        longer[rank:] += probability / 2
        probability = longer
    return probability
