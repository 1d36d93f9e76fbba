"""Which means of trials may be said to differ between two arms, where there are few trials: phases of requests.

A trial's mean scatters as its requests do, and by what two trials of one arm differ anyhow: a share of the mean, which
is :data:`ngxlab_verdict.profiles.LEAST_SCATTER` at least, so that two trials which happen to agree prove nothing. All
means are one family: of those that are said to differ, at most 5 % are expected not to (Benjamini and Hochberg), and
the intervals of those that are said hold together (Benjamini and Yekutieli).
"""

from dataclasses import dataclass

import numpy as np

from ngxlab_verdict.design import Floats
from ngxlab_verdict.profiles import FALSE_DISCOVERIES, LEAST_SCATTER, FrameDifferences, benjamini_hochberg
from ngxlab_verdict.quantiles import t_quantile, t_sf


@dataclass(frozen=True)
class Timed:
    """The trials of one arm. ``means``: trials by phases. ``variances``: of each mean, by its requests' scatter."""

    means: Floats
    variances: Floats


def mean_differences(arm: Timed, baseline: Timed, rate: float = FALSE_DISCOVERIES) -> FrameDifferences:
    """In the means' unit. Raises ``ValueError`` with fewer than two trials of an arm, whose scatter nobody knows."""
    sides = (arm, baseline)
    if min(len(side.means) for side in sides) < 2:
        raise ValueError("two trials of each arm at least")
    degrees = sum(len(side.means) - 1 for side in sides)
    own = sum(((side.means - side.means.mean(axis=0)) ** 2).sum(axis=0) for side in sides) / degrees
    least = np.concatenate([side.variances + (LEAST_SCATTER * side.means) ** 2 for side in sides]).mean(axis=0)
    error = np.sqrt(np.maximum(own, least) * sum(1 / len(side.means) for side in sides))
    found = arm.means.mean(axis=0) - baseline.means.mean(axis=0)
    t = np.divide(found, error, out=np.zeros_like(found), where=error > 0)
    q = benjamini_hochberg(t_sf(t, degrees))
    reach = t_quantile(rate * max(1, int((q <= rate).sum())) / len(q), degrees)
    return FrameDifferences(found, found - reach * error, found + reach * error, q)
