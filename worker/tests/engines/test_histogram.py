"""Exact counts, their differences, and HdrHistogram payloads."""

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st
from ngxlab_worker.engines.histogram import Counts, HdrEncoder

HIGHEST_US = 30_000_000
latencies = st.dictionaries(
    st.integers(1, HIGHEST_US) | st.integers(1, 5000), st.integers(1, 10**9), min_size=0, max_size=60
)
encoder = HdrEncoder(HIGHEST_US)


def counts(values: dict[int, int]) -> Counts:
    rising = sorted(values)
    return Counts(np.array(rising, np.int64), np.array([values[value] for value in rising], np.int64))


@given(latencies, latencies)
def test_the_difference_of_two_snapshots_is_what_was_added(before: dict[int, int], added: dict[int, int]) -> None:
    after = {value: before.get(value, 0) + added.get(value, 0) for value in before.keys() | added.keys()}
    found = counts(after).since(counts(before))
    assert dict(zip(found.latency_us.tolist(), found.count.tolist(), strict=True)) == added
    assert found.total == sum(added.values())


@given(latencies)
def test_a_payload_equals_one_recorded_value_by_value(values: dict[int, int]) -> None:
    payload = encoder.encode(counts(values))
    if not values:
        assert payload is None
        return
    reference = HdrHistogram(1, HIGHEST_US, 3)
    for value, count in values.items():
        assert reference.record_value(value, count)
    assert payload is not None
    assert payload.encode() == reference.encode()
    decoded = HdrHistogram.decode(payload)
    assert decoded.get_total_count() == sum(values.values())
    assert decoded.get_max_value() == reference.get_max_value()


def test_snapshots_of_different_histograms_are_refused() -> None:
    with pytest.raises(ValueError, match="missing"):
        counts({5: 1}).since(counts({4: 1}))
    with pytest.raises(ValueError, match="missing"):
        counts({}).since(counts({4: 1}))
    with pytest.raises(ValueError, match="larger"):
        counts({4: 1}).since(counts({4: 2}))


def test_a_latency_beyond_the_highest_is_refused() -> None:
    with pytest.raises(ValueError, match="beyond"):
        HdrEncoder(1_000_000).encode(counts({10_000_000: 1}))
