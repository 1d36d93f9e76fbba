"""The slope of a quantity over a number, such as bytes per connection.

Each block gives a line of its own, and the blocks' slopes are independent and alike: so Student's interval of their
mean holds whatever a block shares, and however much the spread grows along the line.
"""

from collections.abc import Sequence

import numpy as np
from ngxlab_verdict.quantiles import t_quantile
from numpy.typing import NDArray

from ngxlab.templates.chart_data import Point, Regression

_ERROR = 0.05
_NO_SCATTER = 1e-9


def regression(points: Sequence[Point]) -> Regression | None:
    """``None`` with fewer than two blocks that have all points, or fewer than two points."""
    points = [point for point in points if point.blocks]
    x = np.array([point.x for point in points])
    if len(set(x)) < 2:
        return None
    complete = sorted(set.intersection(*(set(point.blocks) for point in points)))
    y = np.array([[point.values[point.blocks.index(block)] for point in points] for block in complete])
    if len(complete) < 2:
        return None
    lines = np.array([np.polynomial.polynomial.polyfit(x, of_block, 1) for of_block in y])
    intercept, slope = lines.mean(axis=0)
    half = _half_width(lines[:, 1])
    return Regression(
        slope=float(slope),
        ci_low=float(slope - half),
        ci_high=float(slope + half),
        intercept=float(intercept),
        points=y.size,
        curved=_curved(x, y),
    )


def _curved(x: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
    """Whether the mean of the blocks' quadratic terms differs from 0, at an error of 5 %. ``y[block, point]``."""
    if len(set(x)) < 3:
        return False
    scaled = x / np.abs(x).max()
    bends = np.array([np.polynomial.polynomial.polyfit(scaled, of_block, 2)[2] for of_block in y])
    rounding = _NO_SCATTER * np.abs(y).max()
    return bool(abs(bends.mean()) > _half_width(bends) + rounding)


def _half_width(values: NDArray[np.float64]) -> float:
    return float(t_quantile(_ERROR, len(values) - 1.0) * values.std(ddof=1) / np.sqrt(len(values)))
