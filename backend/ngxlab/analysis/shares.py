"""How much of a difference between two arms is in a part of it, with bounds."""

from typing import NamedTuple

import numpy as np
from ngxlab_verdict import FALSE_DISCOVERIES, Timed, mean_differences

MOST_OF = 0.8
"""A part accounts for a difference where so much of it is in it (and the difference, so much of the part)."""
SURELY = 0.5
"""And where surely so much is."""


class Bounds(NamedTuple):
    """``low`` and ``high``: between which the share surely lies (95 %)."""

    share: float
    low: float
    high: float

    @property
    def is_most(self) -> bool:
        return MOST_OF <= self.share <= 1 / MOST_OF and self.low >= SURELY


class Sides(NamedTuple):
    """The same one thing in the trials of both arms: two trials of each at least."""

    arm: Timed
    other: Timed


def share_of(part: Sides, rest: Sides, sign: float) -> Bounds:
    """By the intervals of what the part took longer, and of what all else did: both hold at once. ``sign``: that of
    the whole difference, 1 or -1. Raises ``ValueError`` as :func:`mean_differences`."""
    own, others = (mean_differences(*sides, FALSE_DISCOVERIES / 2) for sides in (part, rest))
    most, least = (sorted((sign * float(one.low[0]), sign * float(one.high[0]))) for one in (own, others))
    whole = float(own.difference[0] + others.difference[0])
    low = most[0] / (most[0] + max(0.0, least[1])) if most[0] > 0 else 0.0
    high = most[1] / (most[1] + least[0]) if most[1] + least[0] > 0 else np.inf
    return Bounds(float(own.difference[0]) / whole, low, float(high))
