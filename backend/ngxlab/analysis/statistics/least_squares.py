"""Ordinary least squares, and linear contrasts of its coefficients."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ngxlab.analysis.statistics.paired import t_quantile


class Contrast(NamedTuple):
    """A weighted sum of coefficients with its interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Fit:
    """``unscaled`` is (X'X)^-1; ``variance`` is that of the residuals, with ``degrees`` of freedom."""

    coefficients: NDArray[np.float64]
    unscaled: NDArray[np.float64]
    variance: float
    degrees: int

    def contrast(self, weights: NDArray[np.float64], quantile: float | None = None) -> Contrast:
        """``quantile``: of the interval, in standard errors; without one, Student's for a single contrast."""
        estimate = float(weights @ self.coefficients)
        error = math.sqrt(max(0.0, self.variance * float(weights @ self.unscaled @ weights)))
        half = (t_quantile(self.degrees) if quantile is None else quantile) * error
        return Contrast(estimate, estimate - half, estimate + half)


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
