"""Do the arms scatter alike, so that one estimate of the error may serve all comparisons?

Source: W. G. Cochran, The distribution of the largest of a set of estimated variances as a fraction of their total,
Annals of Eugenics 11, 1941.
"""

from functools import lru_cache
from typing import Literal

import numpy as np

from ngxlab_verdict.design import Floats

Scatter = Literal["alike", "doubtful", "unlike"]

_UNLIKE = 0.003
_DOUBTFUL = 0.15
"""Chance to call arms so that do scatter alike. Strict, because each such call costs power."""
_DRAWS = 20_000
_SEED = 20_260_101


def scatter(squares: Floats, blocks: int) -> Scatter:
    """``squares``: of the residuals, summed for each arm, the baseline included. Two arms always scatter alike.

    The residuals of two arms mirror each other, and their pairs need no common variance.
    """
    if len(squares) == 2:
        return "alike"
    share = float(squares.max() / squares.sum())
    doubtful, unlike = _limits(len(squares), blocks)
    return "unlike" if share > unlike else "doubtful" if share > doubtful else "alike"


@lru_cache(maxsize=512)
def _limits(arms: int, blocks: int) -> tuple[float, float]:
    """The shares that the noisiest of equal arms seldom exceeds, from simulated complete blocks."""
    values = np.random.default_rng(_SEED).standard_normal((_DRAWS, arms, blocks))
    common = values.mean((1, 2), keepdims=True)
    residuals = values - values.mean(1, keepdims=True) - values.mean(2, keepdims=True) + common
    squares = (residuals**2).sum(2)
    doubtful, unlike = np.quantile(squares.max(1) / squares.sum(1), [1 - _DOUBTFUL, 1 - _UNLIKE])
    return float(doubtful), float(unlike)
