"""When to read what, relative to the start instant."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ngxlab_contracts.trials import SamplingSpec, TimingSpec

SHORTEST_STEP_US = 1000
"""A tick this close to a phase's end is the end: fractions of seconds do not add up exactly."""


@dataclass(frozen=True)
class Tick:
    """``at_us`` after the start instant: read the collectors, cut the histograms, and enter ``phase``."""

    at_us: int
    sample: bool
    histogram: bool
    phase: Literal["measure", "cooldown"] | None = None


def load_ticks(timing: TimingSpec, sampling: SamplingSpec) -> Iterator[Tick]:
    """Ticks of warm-up and measured window, rising, without the start instant itself.

    Each phase counts from its own beginning and ends with a tick that reads everything: so no interval straddles an
    edge of the measured window, whatever the intervals are.
    """
    warmup_us, measure_us = round(timing.warmup_s * 1e6), round(timing.measure_s * 1e6)
    if warmup_us:
        yield from _phase(0, warmup_us, sampling, "measure")
    yield from _phase(warmup_us, measure_us, sampling, "cooldown")


def cooldown_ticks(timing: TimingSpec, sampling: SamplingSpec) -> Iterator[Tick]:
    """Ticks of the cool-down, relative to its beginning; none where there is no cool-down."""
    length_us = round(timing.cooldown_s * 1e6)
    for at_us in _steps(length_us, sampling.interval_ms * 1000):
        yield Tick(at_us, sample=True, histogram=False)
    if length_us:
        yield Tick(length_us, sample=True, histogram=False)


def _phase(
    begin_us: int, length_us: int, sampling: SamplingSpec, then: Literal["measure", "cooldown"]
) -> Iterator[Tick]:
    samples = set(_steps(length_us, sampling.interval_ms * 1000))
    histograms = set(_steps(length_us, sampling.histogram_interval_ms * 1000))
    for at_us in sorted(samples | histograms):
        yield Tick(begin_us + at_us, sample=at_us in samples, histogram=at_us in histograms)
    yield Tick(begin_us + length_us, sample=True, histogram=True, phase=then)


def _steps(length_us: int, step_us: int) -> range:
    return range(step_us, length_us - SHORTEST_STEP_US, step_us)
