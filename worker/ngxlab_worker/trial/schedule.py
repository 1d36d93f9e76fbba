"""What to read when, phase by phase."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ngxlab_contracts.trials import SamplingSpec, TimingSpec

SHORTEST_STEP_US = 1000
"""A tick this close to the end of a phase is its end: fractions of seconds do not add up exactly."""


@dataclass(frozen=True)
class Tick:
    """What to do ``at_us`` after a phase began: read the collectors, read the histograms, enter ``phase``."""

    at_us: int
    sample: bool
    histogram: bool
    phase: Literal["measure", "cooldown"] | None = None


def warmup_ticks(timing: TimingSpec, sampling: SamplingSpec) -> Iterator[Tick]:
    """Ticks of the warm-up, ascending, without its beginning; the last enters the measured window."""
    if timing.warmup_s:
        yield from _phase(timing.warmup_s, sampling, "measure")


def window_ticks(timing: TimingSpec, sampling: SamplingSpec) -> Iterator[Tick]:
    """Ticks of the measured window, ascending, without its beginning; the last ends it."""
    yield from _phase(timing.measure_s, sampling, "cooldown")


def cooldown_ticks(timing: TimingSpec, sampling: SamplingSpec) -> Iterator[Tick]:
    """Ticks of the cool-down, relative to its beginning; none where there is no cool-down."""
    length_us = round(timing.cooldown_s * 1e6)
    for at_us in _steps(length_us, sampling.interval_ms * 1000):
        yield Tick(at_us, sample=True, histogram=False)
    if length_us:
        yield Tick(length_us, sample=True, histogram=False)


def _phase(length_s: float, sampling: SamplingSpec, then: Literal["measure", "cooldown"]) -> Iterator[Tick]:
    """The last tick reads everything, so that no interval lies across an edge of the measured window."""
    length_us = round(length_s * 1e6)
    samples = set(_steps(length_us, sampling.interval_ms * 1000))
    histograms = set(_steps(length_us, sampling.histogram_interval_ms * 1000))
    for at_us in sorted(samples | histograms):
        yield Tick(at_us, sample=at_us in samples, histogram=at_us in histograms)
    yield Tick(length_us, sample=True, histogram=True, phase=then)


def _steps(length_us: int, step_us: int) -> range:
    return range(step_us, length_us - SHORTEST_STEP_US, step_us)
