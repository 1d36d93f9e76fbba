"""Merging and summarising against numpy on the pooled raw values."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from analysis.builders import histogram
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st
from ngxlab.analysis.statistics.histograms import Histogram, merge, step_us
from numpy.typing import NDArray
from scipy.stats import norm

from scripts.simulations.percentiles import of_values

RESOLUTION = 1e-3
"""Three significant digits."""


def percentile(values: list[int], fraction: float) -> float:
    """Type 9 of Hyndman and Fan, by numpy."""
    return float(np.quantile(values, fraction, method="normal_unbiased"))


def test_percentiles_of_a_merge_are_those_of_the_pooled_raw_values() -> None:
    rng = np.random.default_rng(7)
    parts = [rng.lognormal(mean, 0.8, 4000).astype(int).tolist() for mean in (4, 6, 9)]
    pooled = [value for part in parts for value in part]
    merged = merge(histogram(part) for part in parts)
    assert merged is not None
    summary = merged.summarise()
    assert summary.count == 12_000
    for seen, fraction in [(summary.p50_us, 0.5), (summary.p90_us, 0.9), (summary.p99_us, 0.99)]:
        assert seen == pytest.approx(percentile(pooled, fraction), rel=RESOLUTION)
    assert summary.p999_us == pytest.approx(percentile(pooled, 0.999), rel=RESOLUTION)
    assert summary.max_us == pytest.approx(max(pooled), rel=RESOLUTION)
    assert summary.mean_us == pytest.approx(np.mean(pooled), rel=RESOLUTION)
    assert summary.stdev_us == pytest.approx(np.std(pooled), rel=RESOLUTION)
    assert summary.p99_us is not None
    average_of_p99 = np.mean([percentile(part, 0.99) for part in parts])
    assert abs(summary.p99_us / average_of_p99 - 1) > 0.5, "the parts differ, so averaging percentiles would be wrong"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 50_000_000), min_size=1, max_size=40), min_size=1, max_size=4),
    st.sampled_from([0.5, 0.9, 0.99]),
)
def test_any_merge_agrees_with_the_pooled_values(parts: list[list[int]], fraction: float) -> None:
    merged = merge(histogram(part) for part in parts)
    assert merged is not None
    pooled = [value for part in parts for value in part]
    exact = percentile(pooled, fraction)
    assert exact <= merged.value_at(fraction) <= exact * (1 + RESOLUTION) + 1
    assert merged.total == len(pooled)


def test_several_percentiles_at_once_are_those_of_one_at_a_time_and_of_the_values() -> None:
    values = [1, 5, 5, 90, 2_000, 2_001, 70_000, 1_000_000]
    fractions = [0.0, 0.25, 0.5, 0.75, 0.99, 1.0]
    together = Histogram.decode(histogram(values)).values_at(fractions)
    assert together == [Histogram.decode(histogram(values)).value_at(fraction) for fraction in fractions]
    for found, fraction in zip(together, fractions, strict=True):
        exact = percentile(values, fraction)
        assert exact <= found <= exact * (1 + RESOLUTION) + 1


@pytest.mark.parametrize(("count", "fraction"), [(1000, 0.99), (10_000, 0.999)])
@pytest.mark.parametrize("law", ["exponential", "lognormal", "one in twenty is slow"])
def test_the_fewest_responses_that_a_percentile_is_shown_of_give_it_without_bias(
    count: int, fraction: float, law: str
) -> None:
    """Against the law's own percentile, on the geometric average over trials; the nearest rank is 1 to 2.5 % low."""
    rng = np.random.default_rng(count)
    true, draw = _law(law, fraction, rng)
    logs = [math.log(of_values(draw(count)).value_at(fraction)) for _ in range(1000)]
    error = float(np.std(logs)) / math.sqrt(len(logs))
    assert abs(float(np.mean(logs)) - math.log(true)) < 0.005 + 2 * error


Draw = Callable[[int], NDArray[np.float64]]


def _law(name: str, fraction: float, rng: np.random.Generator) -> tuple[float, Draw]:
    """Its percentile, and how to draw from it."""
    if name == "exponential":
        return -20_000 * math.log(1 - fraction), lambda count: rng.exponential(20_000, count)
    if name == "lognormal":
        return math.exp(9 + 0.5 * norm.ppf(fraction)), lambda count: rng.lognormal(9, 0.5, count)

    def one_in_twenty_is_slow(count: int) -> NDArray[np.float64]:
        return np.where(rng.random(count) < 0.05, rng.lognormal(12, 0.5, count), rng.lognormal(7, 0.2, count))

    # They lie so far apart that all of the slow ones, and they alone, are slower than the others.
    return math.exp(12 + 0.5 * norm.ppf(1 - (1 - fraction) / 0.05)), one_in_twenty_is_slow


def test_values_have_the_index_that_the_reference_library_gives_them() -> None:
    values = [0, 1, 1023, 2047, 2048, 4097, 70_001, 999_999]
    assert np.array_equal(of_values(np.array(values, np.float64)).counts, Histogram.decode(histogram(values)).counts)


@given(st.integers(1, 2**40))
def test_the_step_of_a_value_is_the_width_of_its_bucket(value: int) -> None:
    recorder = HdrHistogram(1, 2**41, 3)
    highest, lowest = recorder.get_highest_equivalent_value(value), recorder.get_lowest_equivalent_value(value)
    assert step_us(value) == highest - lowest + 1


def test_no_p999_below_ten_thousand_responses() -> None:
    few = Histogram.decode(histogram([100] * 9_999)).summarise()
    enough = Histogram.decode(histogram([100] * 10_000)).summarise()
    assert few.p999_us is None
    assert enough.p999_us == 100


def test_an_encoded_merge_is_read_by_the_reference_library() -> None:
    merged = merge([histogram([10, 20, 30]), None, histogram([5_000_000])])
    assert merged is not None
    decoded = HdrHistogram.decode(merged.encode())
    assert decoded.get_total_count() == 4
    assert decoded.get_value_at_percentile(50) == 20
    assert decoded.get_max_value() == merged.summarise().max_us


def test_nothing_to_merge_is_none() -> None:
    assert merge([None, None]) is None
    assert merge([]) is None
    assert merge([histogram([])]) is None


def test_mixed_precision_is_refused() -> None:
    coarse = HdrHistogram(1, 1000, 2)
    coarse.record_value(5)
    with pytest.raises(ValueError, match="different precision"):
        merge([histogram([5]), coarse.encode().decode()])


def test_distribution_is_cumulative_and_short() -> None:
    rng = np.random.default_rng(3)
    values = rng.lognormal(8, 1, 20_000).astype(int).tolist()
    points = Histogram.decode(histogram(values)).distribution(100)
    assert 50 < len(points) <= 100
    fractions = [point.fraction for point in points]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    middle = min(points, key=lambda point: abs(point.fraction - 0.5))
    share = sum(value <= middle.value_ms * 1000 for value in values) / len(values)
    assert share == pytest.approx(middle.fraction, abs=1e-3)


@pytest.mark.parametrize(("count", "p99", "p999"), [(999, False, False), (1000, True, False), (10_000, True, True)])
def test_a_percentile_needs_ten_responses_beyond_it(count: int, p99: bool, p999: bool) -> None:
    recorder = HdrHistogram(1, 60_000_000, 3)
    for value in range(1, count + 1):
        recorder.record_value(value)
    merged = merge([recorder.encode().decode()])
    assert merged is not None
    summary = merged.summarise()
    assert (summary.p99_us is not None, summary.p999_us is not None) == (p99, p999)
