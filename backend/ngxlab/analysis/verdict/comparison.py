"""One arm against the baseline in one metric."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from ngxlab_contracts.sentences import Sentence, fixed, say
from ngxlab_verdict import Claim, Course
from ngxlab_verdict.power import MoreBlocks, chance_to_decide, more_blocks
from ngxlab_verdict.words import Reason, confidence

from ngxlab.analysis.metrics import Metric, reasons
from ngxlab.analysis.schemas import ApartTrials, ArmMetric, BlockValue, Comparison, Verdict
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.claims import TrialsByBlock

_OPPOSITE: Mapping[Verdict, Verdict] = {"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}


@dataclass(frozen=True)
class Ahead:
    """What the looks to come are like.

    ``course``: of a run; ``None`` of arms of several runs. ``seen``: the blocks that the latest look saw. A comparison
    has fewer pairs where a trial is not usable.
    """

    course: Course | None = None
    seen: int = 0

    def more(self, claim: Claim, margin: float) -> MoreBlocks | None:
        """``margin``: on the additive scale, as in the next method."""
        course = self.course
        if course is None:
            return more_blocks(claim, margin)
        now, lost = course.error_now(self.seen), self.seen - claim.pairs
        return more_blocks(claim, margin, lambda total: course.error(self.seen, total + lost) / now)

    def chance(self, claim: Claim, margin: float) -> float | None:
        """To be decided within the most blocks of a plan whose rule may add some."""
        if self.course is None or not self.course.stops:
            return None
        return chance_to_decide(claim, margin, self.course.planned - (self.seen - claim.pairs))


_NOTHING_AHEAD = Ahead()


def arm_metric(
    metric: Metric, arm: TrialsByBlock, claim: Claim | None, margin: float = 0.02, ahead: Ahead = _NOTHING_AHEAD
) -> ArmMetric:
    """``claim`` is ``None`` for the baseline itself. ``margin``: 0.02 is 2 %, or in the metric's unit."""
    values = _values(metric, arm)
    missing = _missing(metric, arm)
    mean, geometric = _mean([value.value for value in values], ratio=metric.info.scale == "ratio")
    compared = claim is not None and claim.estimate is not None
    return ArmMetric(
        metric=metric.info.key,
        values=values,
        mean=mean,
        mean_kind="geometric" if geometric else "arithmetic",
        comparison=_comparison(metric, claim, claim.estimate, margin, ahead)
        if claim and claim.estimate is not None
        else None,
        missing_reason=missing,
        no_comparison_reason=(missing or reason_of(claim)) if claim is not None and not compared else None,
    )


def _values(metric: Metric, trials: TrialsByBlock) -> list[BlockValue]:
    values = ((block, trial, metric.value(trial)) for block, trial in sorted(trials.items()))
    return [BlockValue(block=block, trial_id=trial.trial_id, value=v) for block, trial, v in values if v is not None]


def _missing(metric: Metric, trials: TrialsByBlock) -> Sentence | None:
    """Why a percentile is hidden, of the trials in which it is: they had too few responses. And why what was looked
    for was not found."""
    if metric.absence is not None:
        absences = (metric.absence(trial) for trial in trials.values())
        return reasons((one for one in absences if one is not None), len(trials))
    if metric.responses is None:
        return None
    counts = [metric.responses(trial) for trial in trials.values() if metric.value(trial) is None]
    few = [int(count) for count in counts if count is not None and count < metric.needs]
    if not few:
        return None
    where = "" if len(few) == len(trials) else say(" in {few} of {trials} trials", few=len(few), trials=len(trials))
    return say("only {few:,} responses{where}; {needs:,} are needed", few=max(few), where=where, needs=metric.needs)


def _comparison(metric: Metric, claim: Claim, estimate: float, limit: float, ahead: Ahead) -> Comparison:
    ratio = claim.scale == "ratio"
    text, ci_text = numbers.estimate_texts(estimate, claim.low, claim.high, ratio=ratio, unit=metric.info.unit)
    is_noise = _is_too_noisy(claim)
    margin = math.log1p(limit) if ratio else limit
    more = ahead.more(claim, margin)
    return Comparison(
        family=claim.family,
        scale=claim.scale,
        estimate=estimate,
        ci_low=claim.low,
        ci_high=claim.high,
        pairs=claim.pairs,
        trials=ApartTrials(own=claim.trials[0], baseline=claim.trials[1]) if claim.trials is not None else None,
        margin=limit,
        verdict=claim.verdict,
        at_least=claim.at_least,
        reason=reason_of(claim),
        more_blocks=more.to_decide if more is not None else None,
        blocks_for_none=more.for_none if more is not None else None,
        chance=ahead.chance(claim, margin),
        interval=Sentence("") if is_noise else say("{level:g} % CI", level=confidence(claim.error)),
        text=text,
        ci_text=TOO_NOISY if is_noise else ci_text,
    )


TOO_NOISY = say("too noisy to say")
"""Stands for an interval that says nothing."""
_SAYS_NOTHING = 3.0


def _is_too_noisy(claim: Claim) -> bool:
    """Whether a third of the baseline is as possible as three times as much."""
    if claim.verdict != "undecided" or claim.scale != "ratio" or claim.low is None or claim.high is None:
        return False
    return says_nothing(claim.low, claim.high)


def says_nothing(low: float, high: float) -> bool:
    """Whether the interval of a ratio is too wide to tell anything."""
    return low <= 1 / _SAYS_NOTHING and high >= _SAYS_NOTHING


_SOON = 3
"""More pairs."""
_FEWEST_PAIRS = 3


def is_far(comparison: Comparison) -> bool:
    """Whether an undecided effect is at least a factor of 2, which a few more pairs would confirm.

    Of fewer than three pairs, and of an interval that says nothing, it would be said of noise.
    """
    if comparison.scale != "ratio" or comparison.more_blocks is None or comparison.pairs < _FEWEST_PAIRS:
        return False
    if comparison.ci_text == TOO_NOISY:
        return False
    return comparison.more_blocks <= _SOON and not 0.5 < comparison.estimate < 2


def inverted(comparison: Comparison, unit: str) -> Comparison:
    """The same claim said of the baseline against the arm: better becomes worse, and a ratio its reciprocal."""
    ratio = comparison.scale == "ratio"

    def invert(value: float | None) -> float | None:
        return None if value is None else 1 / value if ratio else -value

    estimate = 1 / comparison.estimate if ratio else -comparison.estimate
    low, high = invert(comparison.ci_high), invert(comparison.ci_low)
    text, ci_text = numbers.estimate_texts(estimate, low, high, ratio=ratio, unit=unit)
    return comparison.model_copy(
        update={
            "estimate": estimate,
            "ci_low": low,
            "ci_high": high,
            "verdict": _OPPOSITE.get(comparison.verdict, comparison.verdict),
            "robust": None,
            "text": text,
            "ci_text": TOO_NOISY if comparison.ci_text == TOO_NOISY else ci_text,
        }
    )


def reason_of(claim: Claim) -> Sentence | None:
    """The procedure's reason as a sentence."""
    reason = claim.reason
    if not isinstance(reason, Reason):
        return fixed(reason) if reason is not None else None
    return say(reason.template, **{place: _part(value) for place, value in reason.values.items()})


def _part(value: int | str) -> int | Sentence:
    return fixed(value) if isinstance(value, str) else value


def _mean(values: Sequence[float], *, ratio: bool) -> tuple[float | None, bool]:
    """The mean, and whether it is geometric: so for ratios, to match the mean log ratio, unless a value is zero."""
    if not values:
        return None, ratio
    if ratio and all(value > 0 for value in values):
        return float(np.exp(np.mean(np.log(values)))), True
    return float(np.mean(values)), False
