"""How well the mean of a series of successive values is known."""

import numpy as np
from numpy.typing import NDArray

_MOST_ALIKE = 0.95


def variance_of_mean(values: NDArray[np.float64]) -> float:
    """Of two values or more, which may be alike from one to the next: s²/n · (1 + r)/(1 − r), for an AR(1) series.

    The correlation r is underestimated by about 1/n, which is added. Simulated series of 30 values with correlations
    of 0 to 0.8 give 0.9 to 1.15 times the true variance on average (``backend/tests/analysis/statistics``).
    """
    centred = values - values.mean()
    squares = float(centred @ centred)
    if squares <= 0:
        return 0.0
    alike = float(centred[1:] @ centred[:-1]) / squares + 1 / values.size
    alike = min(max(alike, 0.0), _MOST_ALIKE)
    return squares / (values.size - 1) / values.size * (1 + alike) / (1 - alike)
