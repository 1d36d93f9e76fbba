"""How well the mean of a series is known, where its values are alike from one to the next."""

import numpy as np
import pytest
from ngxlab.analysis.summary.course import variance_of_mean
from numpy.typing import NDArray

LONG = 200
"""Steps after which a series has forgotten how it began."""


def alike(correlation: float, size: int, count: int, seed: int = 1) -> NDArray[np.float64]:
    """``count`` series of unit innovations."""
    steps = np.random.default_rng(seed).standard_normal((size + LONG, count))
    for t in range(1, len(steps)):
        steps[t] += correlation * steps[t - 1]
    return steps[LONG:].T


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6, 0.8])
def test_on_average_it_is_the_true_variance(correlation: float) -> None:
    series = alike(correlation, 30, 3000)
    true = series.mean(axis=1).var()
    estimated = np.mean([variance_of_mean(values) for values in series])
    assert 0.8 <= estimated / true <= 1.25


def test_taking_values_for_independent_would_fail_this() -> None:
    series = alike(0.8, 30, 3000)
    assert np.mean(series.var(axis=1, ddof=1) / 30) / series.mean(axis=1).var() < 0.3


def test_a_constant_has_no_variance() -> None:
    assert variance_of_mean(np.full(10, 3.0)) == 0
