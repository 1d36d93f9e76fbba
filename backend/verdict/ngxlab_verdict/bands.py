"""A band that holds at several points together, such as the percentiles of a distribution, from differences in blocks.

At each point it is Student's interval, all with one critical value: that which the largest of the points' |t| exceeds
with the error wanted. Points that move together need less than points that do not, and how much they do is known from
the blocks alone, so it is drawn: normal means and Wishart scatter, from a fixed seed, so that it is the same wherever
it is asked for. The correlations that were seen are pulled towards none, by little: the more blocks, the less.

Source: J. W. Tukey, The problem of multiple comparisons, 1953, in Collected Works VIII; for the draws, M. S. Bartlett,
On the theory of statistical regression, Proceedings of the Royal Society of Edinburgh 53, 1933.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ngxlab_verdict.design import Floats

FEWEST_BLOCKS = 3
_DRAWS = 8192
_SEED = 20_261_126
_NO_CORRELATION = 0.25
"""Degrees of freedom with which none is believed beforehand."""
_STEP = 1e-3
"""To which the critical value is rounded up: so coarse that processors and libraries do not differ in it."""


class Band(NamedTuple):
    """One entry for each point. ``half``: the half width."""

    estimate: Floats
    half: Floats


def band(differences: Floats, error: float, resolution: Floats | float = 0.0) -> Band:
    """``differences[block, point]`` of an additive quantity, at least 3 blocks. All points are held with probability
    1 - ``error`` at least.

    ``resolution``: how much of each point's difference may be due to the steps in which values are known; no half width
    is less. Raises ValueError for fewer blocks.
    """
    blocks = len(differences)
    if blocks < FEWEST_BLOCKS:
        raise ValueError(f"a band needs {FEWEST_BLOCKS} blocks, and these are {blocks}")
    estimate = _sums(differences) / blocks
    centred = differences - estimate
    deviation = np.sqrt(_sums(centred**2) / (blocks - 1))
    moving = deviation > 0
    half = np.zeros(differences.shape[1])
    if moving.any():
        scaled = centred[:, moving] / deviation[moving]
        half[moving] = deviation[moving] * _critical(scaled.T @ scaled, blocks - 1, error) / math.sqrt(blocks)
    return Band(estimate, np.maximum(half, resolution))


def _sums(values: Floats) -> Floats:
    """Over the blocks; exact, so that they are the same everywhere."""
    return np.array([math.fsum(column) for column in values.T])


def _critical(products: Floats, degrees: int, error: float) -> float:
    """``products``: of the points' scaled differences from their means, summed over the blocks."""
    points = len(products)
    correlations = (products + _NO_CORRELATION * np.eye(points)) / (degrees + _NO_CORRELATION)
    factor = np.linalg.cholesky(correlations)
    means, scatter = _draws(points, degrees)
    size = np.sqrt(((factor @ scatter) ** 2).sum(axis=2) / degrees)
    largest = (np.abs(means @ factor.T) / size).max(axis=1)
    return math.ceil(float(np.quantile(largest, 1 - error)) / _STEP) * _STEP


@lru_cache(maxsize=2)
def _draws(points: int, degrees: int) -> tuple[Floats, Floats]:
    """Means ``[draw, point]``, and a root ``[draw, point, column]`` of the scatter, where points are independent."""
    random = np.random.default_rng(_SEED)
    columns = min(points, degrees)
    scatter = np.tril(random.standard_normal((_DRAWS, points, columns)), k=-1)
    for column in range(columns):
        scatter[:, column, column] = np.sqrt(random.chisquare(degrees - column, _DRAWS))
    return random.standard_normal((_DRAWS, points)), scatter
