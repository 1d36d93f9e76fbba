"""Histograms of many drawn values at once."""

import numpy as np
from ngxlab.analysis.statistics.histograms import Histogram
from numpy.typing import NDArray


def of_values(values: NDArray[np.float64]) -> Histogram:
    """With the index of each value in a histogram of three significant digits."""
    shift = np.maximum(np.frexp(values)[1] - 11, 0)
    return Histogram(3, np.bincount((shift << 10) + (values.astype(np.int64) >> shift)))
