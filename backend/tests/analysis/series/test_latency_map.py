"""Latency over time in few columns and buckets: nothing is lost, and a map stays small."""

import itertools
from dataclasses import replace

import pytest
from analysis import builders
from ngxlab.analysis.series.latency_map import MAX_BUCKETS, MAX_COLUMNS, latency_maps
from ngxlab.analysis.series.schemas import LatencyMap


def map_of(samples_us: builders.Samples, measure_s: float = 10) -> LatencyMap:
    of = builders.spec(measure_s=measure_s)
    [found] = latency_maps(builders.host(of, latency=builders.intervals(of, samples_us)))
    return found


def bucket_of(found: LatencyMap, value_ms: float) -> int:
    return next(n for n, (low, high) in enumerate(itertools.pairwise(found.bounds_ms)) if low <= value_ms < high)


def test_a_column_is_an_interval_and_a_request_lies_in_the_bucket_of_its_time() -> None:
    found = map_of(lambda t_s: [1000, 1000, 40_000] if t_s == 3 else [1000])
    assert (found.stream, found.begin_s, found.step_s, len(found.counts)) == ("main", -2, 1, 12)
    column = found.counts[5]
    assert column is not None
    assert {n: count for n, count in enumerate(column) if count} == {bucket_of(found, 1): 2, bucket_of(found, 40): 1}
    assert found.bounds_ms[0] == pytest.approx(1)
    ratios = [high / low for low, high in itertools.pairwise(found.bounds_ms)]
    assert ratios == pytest.approx([ratios[0]] * len(ratios))


def test_a_long_trial_has_no_more_columns_and_a_wide_range_no_more_buckets_and_every_request_counts() -> None:
    found = map_of(lambda t_s: [20, 1000, 1000, 30_000_000] if t_s % 7 == 0 else [500], measure_s=1000)
    columns = [column for column in found.counts if column is not None]
    assert len(columns) == len(found.counts) <= MAX_COLUMNS
    assert found.step_s == 9
    assert all(len(column) == len(found.bounds_ms) - 1 <= MAX_BUCKETS for column in columns)
    seconds = range(-2, 1000)
    assert sum(map(sum, columns)) == sum(4 if t_s % 7 == 0 else 1 for t_s in seconds)


def test_no_histogram_is_not_the_same_as_no_request() -> None:
    of = builders.spec()
    latency = builders.intervals(of, lambda t_s: [] if t_s == 4 else [1000])
    record = builders.host(of, latency=[one for n, one in enumerate(latency) if n != 7])
    [found] = latency_maps(record)
    assert found.counts[6] == [0]
    assert found.counts[7] is None
    assert found.counts[8] == [1]


def test_only_served_requests_count_and_streams_stand_apart() -> None:
    of = builders.spec()
    hot = builders.intervals(of, lambda _: [1000, 2000], stream="hot")
    cold = builders.intervals(of, lambda _: [1000], stream="cold")
    service = [one.model_copy(update={"quantity": "service"}) for one in hot]
    found = latency_maps(builders.host(of, latency=[*hot, *cold, *service]))
    assert [(one.stream, sum(one.counts[0] or [])) for one in found] == [("cold", 1), ("hot", 2)]


def test_what_never_began_or_served_nothing_has_no_map() -> None:
    of = builders.spec()
    record = builders.host(of, latency=builders.intervals(of, lambda _: [1000]))
    assert latency_maps(replace(record, events=[])) == []
    assert latency_maps(builders.host(of, latency=builders.intervals(of, lambda _: []))) == []


def test_shortest_and_longest_times_have_their_buckets() -> None:
    found = map_of(lambda t_s: [0, 1, 60_000_000])
    assert sum(found.counts[0] or []) == 3
    assert found.bounds_ms[0] <= 0.001
    assert found.bounds_ms[-1] >= 60_000
