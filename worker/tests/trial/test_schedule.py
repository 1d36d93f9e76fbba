"""Ticks of a trial."""

import itertools
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st
from ngxlab_contracts.trials import SamplingSpec, TimingSpec
from ngxlab_worker.trial.load import Tick, cooldown_ticks, warmup_ticks, window_ticks

Phase = Literal["measure", "cooldown"]
timings = st.builds(TimingSpec, warmup_s=st.floats(0, 20), measure_s=st.floats(0.1, 40), cooldown_s=st.floats(0, 5))
samplings = st.builds(SamplingSpec, interval_ms=st.integers(100, 5000), histogram_interval_ms=st.integers(1000, 7000))


def _phases(timing: TimingSpec, sampling: SamplingSpec) -> list[tuple[list[Tick], float, Phase]]:
    """The ticks of each phase, its length, and the phase after it."""
    window: tuple[list[Tick], float, Phase] = (list(window_ticks(timing, sampling)), timing.measure_s, "cooldown")
    warmup: tuple[list[Tick], float, Phase] = (list(warmup_ticks(timing, sampling)), timing.warmup_s, "measure")
    return [warmup, window] if timing.warmup_s else [window]


@given(timings, samplings)
def test_ticks_rise_and_everything_is_read_at_the_edges(timing: TimingSpec, sampling: SamplingSpec) -> None:
    for ticks, length_s, then in _phases(timing, sampling):
        times = [tick.at_us for tick in ticks]
        assert times == sorted(set(times))
        assert ticks[-1] == Tick(round(length_s * 1e6), sample=True, histogram=True, phase=then)
        assert [tick.phase for tick in ticks[:-1]] == [None] * (len(ticks) - 1)


@given(timings, samplings)
def test_no_gap_is_longer_than_asked_for(timing: TimingSpec, sampling: SamplingSpec) -> None:
    for ticks, _, _ in _phases(timing, sampling):
        samples = [0, *(tick.at_us for tick in ticks if tick.sample)]
        histograms = [0, *(tick.at_us for tick in ticks if tick.histogram)]
        assert max(b - a for a, b in itertools.pairwise(samples)) <= sampling.interval_ms * 1000 + 1000
        longest = max(b - a for a, b in itertools.pairwise(histograms))
        assert longest <= sampling.histogram_interval_ms * 1000 + 1000


def test_whole_seconds() -> None:
    timing = TimingSpec(warmup_s=2, measure_s=3)
    ticks = [*warmup_ticks(timing, SamplingSpec()), *window_ticks(timing, SamplingSpec())]
    assert [tick.at_us for tick in ticks] == [1_000_000, 2_000_000, 1_000_000, 2_000_000, 3_000_000]
    assert [tick.phase for tick in ticks] == [None, "measure", None, None, "cooldown"]


def test_no_warmup_has_no_ticks() -> None:
    assert list(warmup_ticks(TimingSpec(warmup_s=0, measure_s=1), SamplingSpec())) == []


def test_a_cooldown_of_nothing_has_no_ticks() -> None:
    assert list(cooldown_ticks(TimingSpec(warmup_s=0, measure_s=1), SamplingSpec())) == []
