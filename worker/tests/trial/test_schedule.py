"""Ticks of a trial."""

import itertools

from hypothesis import given
from hypothesis import strategies as st
from ngxlab_contracts.trials import SamplingSpec, TimingSpec
from ngxlab_worker.trial.schedule import cooldown_ticks, load_ticks

timings = st.builds(TimingSpec, warmup_s=st.floats(0, 20), measure_s=st.floats(0.1, 40), cooldown_s=st.floats(0, 5))
samplings = st.builds(SamplingSpec, interval_ms=st.integers(100, 5000), histogram_interval_ms=st.integers(1000, 7000))


@given(timings, samplings)
def test_ticks_rise_and_everything_is_read_at_the_edges(timing: TimingSpec, sampling: SamplingSpec) -> None:
    ticks = list(load_ticks(timing, sampling))
    times = [tick.at_us for tick in ticks]
    assert times == sorted(set(times))
    edges = {tick.phase: tick for tick in ticks if tick.phase}
    warmup_us = round(timing.warmup_s * 1e6)
    assert edges["cooldown"].at_us - warmup_us == round(timing.measure_s * 1e6)
    assert ticks[-1] == edges["cooldown"]
    assert ("measure" in edges) == (warmup_us > 0)
    if warmup_us:
        assert edges["measure"].at_us == warmup_us
    assert all(edge.sample and edge.histogram for edge in edges.values())


@given(timings, samplings)
def test_no_gap_is_longer_than_asked_for(timing: TimingSpec, sampling: SamplingSpec) -> None:
    ticks = list(load_ticks(timing, sampling))
    samples = [0, *(tick.at_us for tick in ticks if tick.sample)]
    histograms = [0, *(tick.at_us for tick in ticks if tick.histogram)]
    assert max(b - a for a, b in itertools.pairwise(samples)) <= sampling.interval_ms * 1000 + 1000
    longest = max(b - a for a, b in itertools.pairwise(histograms))
    assert longest <= sampling.histogram_interval_ms * 1000 + 1000


def test_whole_seconds() -> None:
    ticks = list(load_ticks(TimingSpec(warmup_s=2, measure_s=3), SamplingSpec()))
    assert [tick.at_us for tick in ticks] == [1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000]
    assert [tick.phase for tick in ticks] == [None, "measure", None, None, "cooldown"]


def test_a_cooldown_of_nothing_has_no_ticks() -> None:
    assert list(cooldown_ticks(TimingSpec(warmup_s=0, measure_s=1), SamplingSpec())) == []
