"""How often the rule of check ``steady`` finds a change that is there, and one that is not. Seeds are fixed."""

import numpy as np
import pytest
from ngxlab.analysis.checks.steady import _MAX_CHANGE, _MIN_STATISTIC, best_change
from numpy.typing import NDArray

TRIALS = 1000
BURN_IN = 40


def noise(size: int, correlation: float, deviation: float, seed: int) -> NDArray[np.float64]:
    """Series of an AR(1) process around 1, one a row, of the standard deviation ``deviation``."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(TRIALS, size + BURN_IN))
    for column in range(1, size + BURN_IN):
        values[:, column] = correlation * values[:, column - 1] + np.sqrt(1 - correlation**2) * values[:, column]
    return 1 + deviation * values[:, BURN_IN:]


def flagged(series: NDArray[np.float64]) -> float:
    found = [best_change(one / one.mean()) for one in series]
    return float(np.mean([abs(one.size) > _MAX_CHANGE and one.statistic > _MIN_STATISTIC for one in found]))


def trend(size: int) -> NDArray[np.float64]:
    return np.linspace(0, 0.1, size)


def step(size: int) -> NDArray[np.float64]:
    return np.where(np.arange(size) >= size // 2, 0.1, 0.0)


@pytest.mark.parametrize("size", [10, 15, 20, 30])
def test_slow_noise_is_rarely_taken_for_a_change(size: int) -> None:
    assert flagged(noise(size, 0.8, 0.02, seed=1)) <= 0.05 + 0.01
    assert flagged(noise(size, 0.0, 0.02, seed=2)) <= 0.02


@pytest.mark.parametrize("size", [10, 15, 20, 30])
@pytest.mark.parametrize("change", [trend, step])
def test_a_change_of_ten_percent_is_found(size: int, change: object) -> None:
    shape = trend(size) if change is trend else step(size)
    assert flagged(noise(size, 0.0, 0.01, seed=3) + shape) >= 0.99
    assert flagged(noise(size, 0.0, 0.02, seed=4) + shape) >= 0.90 - 0.02
    assert flagged(noise(size, 0.8, 0.01, seed=5) + shape) >= 0.97


def test_a_series_without_noise() -> None:
    assert best_change(np.ones(10)).statistic == 0
    exact = best_change(1 + step(10))
    assert (round(exact.size, 6), exact.statistic, exact.is_step) == (0.1, np.inf, True)
