"""Ordinary least squares, linear contrasts of its coefficients, and Holm's adjustment."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from ngxlab.analysis.statistics.paired import t_quantile

_NOTHING = 1e-12
"""A smaller contrast is a rounding error: with a perfect fit it would otherwise have p = 0."""


class Contrast(NamedTuple):
    """A weighted sum of coefficients with its 95 % interval, and the two-sided p that it is zero."""

    estimate: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Fit:
    """``unscaled`` is (X'X)^-1; ``variance`` is that of the residuals, with ``degrees`` of freedom."""

    coefficients: NDArray[np.float64]
    unscaled: NDArray[np.float64]
    variance: float
    degrees: int

    def contrast(self, weights: NDArray[np.float64]) -> Contrast:
        estimate = float(weights @ self.coefficients)
        error = math.sqrt(max(0.0, self.variance * float(weights @ self.unscaled @ weights)))
        half = t_quantile(self.degrees) * error
        return Contrast(estimate, estimate - half, estimate + half, self._p(estimate, error))

    def _p(self, estimate: float, error: float) -> float:
        if abs(estimate) < _NOTHING:
            return 1.0
        return 2 * float(stdtr(self.degrees, -abs(estimate) / error)) if error > 0 else 0.0


def fit(design: NDArray[np.float64], values: NDArray[np.float64]) -> Fit:
    """Raises ValueError if the columns of ``design`` are linearly dependent, or leave no degree of freedom."""
    rows, columns = design.shape
    if np.linalg.matrix_rank(design) < columns:
        raise ValueError("too few trials to estimate all effects")
    if rows <= columns:
        raise ValueError("no trials left to estimate the error: more blocks are needed")
    unscaled = np.asarray(np.linalg.inv(design.T @ design), np.float64)
    coefficients = unscaled @ design.T @ values
    residuals = values - design @ coefficients
    return Fit(coefficients, unscaled, float(residuals @ residuals) / (rows - columns), rows - columns)


def holm(p_values: Sequence[float]) -> list[float]:
    """p values adjusted for the number of tests, in the order given: compare each with the family's level.

    Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics, 1979.
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    ascending = sorted(range(len(p_values)), key=lambda index: p_values[index])
    for rank, index in enumerate(ascending):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted
