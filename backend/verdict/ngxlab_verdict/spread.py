"""Do the arms scatter alike, so that one estimate of the error may serve all comparisons?

Source: W. G. Cochran, The distribution of the largest of a set of estimated variances as a fraction of their total,
Annals of Eugenics 11, 1941.
"""

from functools import lru_cache

import numpy as np

from ngxlab_verdict.design import Floats

LEVEL = 0.02
"""Chance to reject arms that do scatter alike. Strict, because each rejection costs power."""
_DRAWS = 20_000
_SEED = 20_260_101


def scatters_alike(squares: Floats, blocks: int) -> bool:
    """``squares``: of the residuals, summed for each arm, the baseline included. Two arms always scatter alike.

    The residuals of two arms mirror each other, and their pairs need no common variance.
    """
    arms = len(squares)
    return arms == 2 or float(squares.max() / squares.sum()) <= _limit(arms, blocks)


@lru_cache(maxsize=512)
def _limit(arms: int, blocks: int) -> float:
    """The share that the noisiest of equal arms exceeds with probability ``LEVEL``, from simulated complete blocks."""
    values = np.random.default_rng(_SEED).standard_normal((_DRAWS, arms, blocks))
    common = values.mean((1, 2), keepdims=True)
    residuals = values - values.mean(1, keepdims=True) - values.mean(2, keepdims=True) + common
    squares = (residuals**2).sum(2)
    return float(np.quantile(squares.max(1) / squares.sum(1), 1 - LEVEL))
