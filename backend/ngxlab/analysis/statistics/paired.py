"""The usual margin, and quantiles of Student's t."""

from functools import lru_cache

import scipy

MIN_MARGIN = 0.02
CV_MARGIN = 0.05
"""Absolute: smaller differences of CV have no practical importance (0.05 is 5 % of a mean worker's share)."""


@lru_cache(maxsize=2048)
def t_quantile(degrees: int, probability: float = 0.975) -> float:
    return float(scipy.special.stdtrit(degrees, probability))
