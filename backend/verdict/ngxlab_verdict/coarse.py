"""Coarse values: counted in whole seconds, milliseconds or pieces, so that pairs tie and a standard error means little.

The interval is exact: that of the signed-rank test, whose ends are means of two differences (Walsh averages). Each
value is known to half a step, so each end is moved by what a step can change; no interval is narrower than that.

Sources: J. L. Hodges, E. L. Lehmann, Estimates of location based on rank tests, Annals of Mathematical Statistics 34,
1963; J. W. Tukey, The simplest signed-rank tests, Princeton memorandum 17, 1949.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ngxlab_verdict.decision import Interval
from ngxlab_verdict.design import Floats
from ngxlab_verdict.words import Reason, Scale


def is_coarse(own: Floats, base: Floats) -> bool:
    """Whether at least half of the values repeat others, and nearly half of the pairs' differences do."""
    values, differences = np.concatenate([own, base]), np.round(own - base, 12)
    return len(np.unique(values)) <= len(own) and len(np.unique(differences)) <= (len(own) + 1) // 2


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
    lowest, middle, highest = (_walsh(_differences(own, base, scale, shift)) for shift in (-half, 0.0, half))
    outside = _outside(len(own), alpha)
    low, high = float(lowest[outside - 1]), float(highest[-outside])
    beyond = int(min((lowest <= 0).sum(), (highest >= 0).sum()))
    chance = min(2 * float(_signed_rank(len(own))[: beyond + 1].sum()), 1.0)
    return Ranked(Interval(float(np.median(middle)), low, high), chance)


def pairs_needed(alpha: float) -> int:
    """With fewer, even equal signs of all differences are more likely than ``alpha``."""
    return int(np.ceil(1 - np.log2(alpha)))


def _differences(own: Floats, base: Floats, scale: Scale, shift: float) -> Floats:
    """With each value moved by half a step, which makes the differences smallest or largest."""
    if scale == "difference":
        return own - base + 2 * shift
    return np.log(np.maximum(own + shift, 1e-3 * own)) - np.log(base - shift)


def _walsh(differences: Floats) -> Floats:
    """The means of all pairs of differences, each with itself too, in ascending order."""
    first, second = np.triu_indices(len(differences))
    return np.sort((differences[first] + differences[second]) / 2)


def _outside(pairs: int, alpha: float) -> int:
    """The rank from either end of the Walsh average that is the end of the interval."""
    cumulative = np.cumsum(_signed_rank(pairs))
    return int(np.searchsorted(cumulative, alpha / 2, side="right"))


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
