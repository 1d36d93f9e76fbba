"""Percentiles of all responses of several trials against the responses themselves, and against known laws."""

import math

import numpy as np
import pytest
from ngxlab.analysis.statistics.pooled_percentile import pooled_percentile
from scipy.stats import norm

from scripts.simulations.percentiles import of_values


def test_it_is_the_percentile_of_all_responses_however_many_each_trial_has() -> None:
    random = np.random.default_rng(1)
    parts = [random.lognormal(8 + shift, 0.5, count) for shift, count in ((0, 4000), (0.3, 500), (-0.2, 9000))]
    found = pooled_percentile([of_values(part) for part in parts], 0.99, 0.05)
    whole = np.quantile(np.concatenate(parts), 0.99, method="normal_unbiased")
    assert found.value == pytest.approx(whole, rel=1e-3)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high


@pytest.mark.parametrize(("trials", "scatter"), [(5, 0.05), (10, 0.05), (5, 0.0)])
def test_its_interval_misses_the_truth_as_seldom_as_it_says(trials: int, scatter: float) -> None:
    """The truth: the percentile of responses of all trials that there could be, whose numbers of responses differ."""
    random, experiments, misses = np.random.default_rng(trials), 250, [0, 0]
    true = math.exp(8 + math.hypot(scatter, 0.5) * norm.ppf(0.99))
    for _ in range(experiments):
        means = random.normal(8, scatter, trials)
        parts = [of_values(random.lognormal(mean, 0.5, 3000 if i % 2 else 1500)) for i, mean in enumerate(means)]
        _, low, high = pooled_percentile(parts, 0.99, 0.05)
        misses[0] += true < (low or 0)
        misses[1] += true > (high or math.inf)
    allowed = 0.025 + 3 * math.sqrt(0.025 * 0.975 / experiments)
    assert max(misses) / experiments <= allowed


def test_responses_of_a_trial_are_no_independent_values() -> None:
    """Trials apart by 20 %: as if all responses were independent, the interval would be far too narrow."""
    random = np.random.default_rng(3)
    parts = [of_values(random.lognormal(8 + shift, 0.3, 20_000)) for shift in (-0.2, -0.1, 0.0, 0.1, 0.2)]
    found = pooled_percentile(parts, 0.5, 0.05)
    assert found.low is not None
    assert found.high is not None
    assert found.high / found.low > math.exp(2 * 2.0 * 0.158 / math.sqrt(5))


def test_an_end_beyond_all_responses_is_extended_from_those_nearby() -> None:
    random = np.random.default_rng(6)
    parts = [random.lognormal(mean, 0.3, 1000) for mean in (7.7, 8.0, 8.3)]
    found = pooled_percentile([of_values(part) for part in parts], 0.99, 0.05)
    assert found.high is not None
    assert found.low is not None
    assert math.exp(8 + math.hypot(0.3, 0.3) * norm.ppf(0.99)) < found.high < 100 * found.value
    assert 0 < found.low < found.value


def test_there_is_no_interval_where_there_cannot_be_one() -> None:
    random = np.random.default_rng(4)
    alone = pooled_percentile([of_values(random.lognormal(8, 0.3, 1000))], 0.99, 0.05)
    assert (alone.low, alone.high) == (None, None)
    with pytest.raises(ValueError, match="no trials"):
        pooled_percentile([], 0.5, 0.05)
