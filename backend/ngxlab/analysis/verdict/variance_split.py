"""Does the scatter come from within trials, from trial to trial, or from block to block, and what reduces it?
(docs/method-details.md, Trial length or blocks)"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.sentences import Sentence, fixed, say
from ngxlab_verdict.design import Flags, Floats

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import MetricNoise, PlanFacts, TrialSummary

_FEWEST_DEGREES = 4.0
"""With fewer the scatter itself is hardly known."""
_SMALL = 0.2
_ABOUT_HALF = 0.525
_SHOWN = 0.005
_WORTH = 0.95
"""Longer trials are advised where they save at least 5 % of the time."""


class TrialLength(NamedTuple):
    """``other_s``: what a trial takes beside its window."""

    measure_s: float
    other_s: float

    @classmethod
    def of(cls, plan: PlanFacts) -> "TrialLength":
        return cls(plan.measure_s, plan.warmup_s + plan.cooldown_s)

    @property
    def twice_as_long(self) -> float:
        """How many times as long the trial takes whose window is twice as long."""
        return (2 * self.measure_s + self.other_s) / (self.measure_s + self.other_s)


def within_variance(metric: Metric, trials: Sequence[TrialSummary]) -> float | None:
    """The mean over ``trials``; ``None`` unless all have it, and for single streams and differences."""
    if metric.stream is not None or metric.info.scale != "ratio" or not trials:
        return None
    known = [trial.within_variance.get(metric.name) for trial in trials]
    return float(np.mean([one for one in known if one is not None])) if None not in known else None


def within_share(within: float | None, deviation: float) -> float | None:
    """``within``: variance. ``deviation``: of trials within a block, which has it too."""
    return min(1.0, within / deviation**2) if within is not None and deviation > 0 else None


def block_deviation(values: Floats, present: Flags, deviation: float) -> float | None:
    """How much the trials of a block vary together, from complete blocks, of which two are needed.

    ``values[arm, block]``.
    """
    complete = values[:, present.all(axis=0)]
    if complete.shape[1] < 2:
        return None
    shared = float(complete.mean(axis=0).var(ddof=1)) - deviation**2 / len(complete)
    return float(np.sqrt(max(shared, 0.0)))


def more_or_longer(noise: MetricNoise, phrase: str, length: TrialLength) -> Sentence | None:
    """A sentence; ``None`` where the split is not known well enough."""
    if noise.within_share is None or noise.degrees < _FEWEST_DEGREES:
        return None
    share = noise.within_share
    blocks = 1 - share / 2
    source = say(
        "{about} of the scatter of {metric} comes from within trials", about=_about(share), metric=fixed(phrase)
    )
    as_many = say("about half as many" if blocks < _ABOUT_HALF else "{about} of the", about=_about(blocks))
    if blocks * length.twice_as_long <= _WORTH:
        return say(
            "Longer trials would help: {source}; twice as long ones would need {as_many} blocks.",
            source=source,
            as_many=as_many,
        )
    if share < _SMALL:
        return say("Longer trials would not help: {source}; add blocks.", source=source)
    return say(
        "Rather add blocks: {source}; twice as long trials would need {as_many} blocks and take more time in all.",
        source=source,
        as_many=as_many,
    )


def _about(share: float) -> Sentence:
    return say("about {share:.0f} %" if share >= _SHOWN else "less than 1 %", share=100 * share)
