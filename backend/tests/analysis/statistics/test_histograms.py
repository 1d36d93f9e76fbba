"""Merging and summarising against numpy on the pooled raw values."""

import math

import numpy as np
import pytest
from analysis.builders import histogram
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st
from ngxlab.analysis.statistics.histograms import Histogram, merge

RESOLUTION = 1e-3
"""Three significant digits."""


def nearest_rank(values: list[int], fraction: float) -> float:
    ordered = sorted(values)
    return ordered[max(1, math.ceil(fraction * len(values) - 1e-9)) - 1]


def test_percentiles_of_a_merge_are_those_of_the_pooled_raw_values() -> None:
    rng = np.random.default_rng(7)
    parts = [rng.lognormal(mean, 0.8, 4000).astype(int).tolist() for mean in (4, 6, 9)]
    pooled = [value for part in parts for value in part]
    merged = merge(histogram(part) for part in parts)
    assert merged is not None
    summary = merged.summarise()
    assert summary.count == 12_000
    for seen, fraction in [(summary.p50_us, 0.5), (summary.p90_us, 0.9), (summary.p99_us, 0.99)]:
        assert seen == pytest.approx(nearest_rank(pooled, fraction), rel=RESOLUTION)
    assert summary.p999_us == pytest.approx(nearest_rank(pooled, 0.999), rel=RESOLUTION)
    assert summary.max_us == pytest.approx(max(pooled), rel=RESOLUTION)
    assert summary.mean_us == pytest.approx(np.mean(pooled), rel=RESOLUTION)
    assert summary.stdev_us == pytest.approx(np.std(pooled), rel=RESOLUTION)
    assert summary.p99_us is not None
    average_of_p99 = np.mean([nearest_rank(part, 0.99) for part in parts])
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
    exact = nearest_rank(pooled, fraction)
    assert exact <= merged.value_at(fraction) <= exact * (1 + RESOLUTION) + 1
    assert merged.total == len(pooled)


def test_several_percentiles_at_once_are_those_of_one_at_a_time_and_of_the_values() -> None:
    values = [1, 5, 5, 90, 2_000, 2_001, 70_000, 1_000_000]
    fractions = [0.0, 0.25, 0.5, 0.75, 0.99, 1.0]
    together = Histogram.decode(histogram(values)).values_at(fractions)
    assert together == [Histogram.decode(histogram(values)).value_at(fraction) for fraction in fractions]
    for found, fraction in zip(together, fractions, strict=True):
        exact = nearest_rank(values, fraction)
        assert exact <= found <= exact * (1 + RESOLUTION) + 1


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
