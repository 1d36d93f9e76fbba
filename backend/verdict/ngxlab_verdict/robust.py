"""What a comparison says without assuming normal scatter, and single trials that stand apart. Neither decides anything.

Where two arms do not differ, each block could as well have had their values exchanged: the order of arms is drawn. The
signed-rank test compares what was measured with all 2^n such exchanges, which needs no distribution, and is exact up to
250 pairs. Its interval has the Hodges-Lehmann estimate, which one outlying trial hardly moves. Blocks form Latin
squares, of which far fewer could have been drawn (8 of two arms in 5 blocks, which shows nothing); that each arm has
each position once only takes away scatter that the exchanges allow for, so that the interval is rather too wide.

Sources: J. L. Hodges, E. L. Lehmann, Estimates of location based on rank tests, Annals of Mathematical Statistics 34,
1963; C. J. Clopper, E. S. Pearson, The use of confidence or fiducial limits, Biometrika 26, 1934.
"""

from typing import NamedTuple

import numpy as np
import scipy

from ngxlab_verdict.coarse import EXACT_UP_TO, chance_of_ranks, outside_ranks, walsh
from ngxlab_verdict.design import Floats
from ngxlab_verdict.quantiles import t_sf

FEWEST_PAIRS = 5
_OUTLYING = 0.01
"""The chance that one of all pairs of equal scatter seems to stand as far apart."""
_ERROR = 0.05


class Robust(NamedTuple):
    """On the additive scale. ``error``: what the interval truly has, which is more than wanted where pairs are few."""

    estimate: float
    low: float
    high: float
    error: float


def robust(differences: Floats, error: float) -> Robust | None:
    """The robust estimate from the pairs' ``differences``; ``None`` for fewer than 5, and for so many that the mean is
    surely normal."""
    pairs = len(differences)
    if not FEWEST_PAIRS <= pairs <= EXACT_UP_TO:
        return None
    means, outside = walsh(differences), max(outside_ranks(pairs, error), 1)
    low, high = means.at(outside - 1), means.at(means.total - outside)
    return Robust(means.median, low, high, 2 * chance_of_ranks(pairs, outside - 1))


class Outlying(NamedTuple):
    """``place``: of the pair. ``own``: whether the arm's trial stands apart, and not the baseline's. ``by``: how far it
    is from the median of the arm's other trials, on the additive scale."""

    place: int
    own: bool
    by: float


def outlying(own: Floats, base: Floats) -> Outlying | None:
    """The pair whose difference all others would not predict, of at least 5 pairs on the additive scale."""
    differences = own - base
    pairs = len(differences)
    if pairs < FEWEST_PAIRS:
        return None
    others = [np.delete(differences, place) for place in range(pairs)]
    spread = np.array([one.std(ddof=1) for one in others]) * np.sqrt(1 + 1 / (pairs - 1))
    apart = np.abs(differences - [one.mean() for one in others])
    reached = np.divide(apart, spread, out=np.zeros(pairs), where=spread > 0)
    place = int(reached.argmax())
    if pairs * float(t_sf(reached[place], pairs - 2.0)) > _OUTLYING:
        return None
    by_own, by_base = (float(arm[place] - np.median(np.delete(arm, place))) for arm in (own, base))
    is_own = abs(by_own) >= abs(by_base)
    return Outlying(place, is_own, by_own if is_own else by_base)


def share_interval(seen: int, trials: int) -> tuple[float, float]:
    """In which share of all trials something happens that was seen in ``seen`` of ``trials``, at least once: 95 %."""
    low = float(scipy.special.betaincinv(seen, trials - seen + 1, _ERROR / 2))
    return low, float(scipy.special.betaincinv(seen + 1, trials - seen, 1 - _ERROR / 2)) if seen < trials else 1.0


def unseen_share(trials: int) -> float:
    """What happens in no larger share of trials may have stayed unseen in so many: the upper 95 % bound."""
    return float(1 - _ERROR ** (1 / trials))
