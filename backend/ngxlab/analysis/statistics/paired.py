"""Margins, and quantiles of Student's t."""

from functools import lru_cache

import scipy

MIN_MARGIN = 0.02
CV_MARGIN = 0.05
"""Absolute: smaller differences of CV have no practical importance (0.05 is 5 % of a mean worker's share)."""


def noise_margin(aa_half_width: float | None = None, margin: float = MIN_MARGIN) -> float:
    """``margin``, or the half width of the host's A/A comparison, if that is wider.

    ``aa_half_width``: of the interval when an arm is compared with itself on this host; 0.03 is 3 %.
    """
    return max(margin, aa_half_width or 0.0)


@lru_cache(maxsize=2048)
def t_quantile(degrees: int, probability: float = 0.975) -> float:
    return float(scipy.special.stdtrit(degrees, probability))
