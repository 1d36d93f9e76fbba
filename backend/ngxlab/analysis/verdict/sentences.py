"""Every comparison of a run as one statement."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.sentences import Sentence, fixed, say
from ngxlab_verdict import Claim
from ngxlab_verdict.numbers import change
from ngxlab_verdict.robust import outlying, robust, share_interval, unseen_share
from ngxlab_verdict.words import confidence, word
from numpy.typing import NDArray

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmAnalysis, ArmMetric, Comparison, RobustEstimate, VerdictSentence, VerdictState
from ngxlab.analysis.verdict import numbers, wording
from ngxlab.analysis.verdict.claims import TrialsByBlock
from ngxlab.analysis.verdict.stream_comparison import stream_metrics

Arms = tuple[str, str]
"""The labels of the arm and of the one that it is compared with."""


def without_normality(
    metric: Metric, claim: Claim, arms: tuple[TrialsByBlock, TrialsByBlock], margin: float
) -> RobustEstimate | None:
    """``arms``: the arm's trials that were judged, and the baseline's. ``None`` where the claim is exploratory, rests
    on ranks itself or has no interval, and with fewer than five pairs."""
    if claim.family != "primary" or claim.evidence is None or claim.low is None:
        return None
    is_ratio = claim.scale == "ratio"
    values = [{block: value for block, one in arm.items() if (value := metric.value(one)) is not None} for arm in arms]
    _, own, base = _pairs(*values, is_ratio=is_ratio)
    found = robust(own - base, claim.evidence.level)
    if found is None:
        return None
    limit = math.log1p(margin) if is_ratio else margin
    verdict = word(found.estimate, found.low, found.high, limit, metric.info.direction)
    ends = [math.exp(end) if is_ratio else end for end in found[:3]]
    text, ci_text = numbers.estimate_texts(*ends, ratio=is_ratio, unit=metric.info.unit)
    return RobustEstimate(
        estimate=ends[0],
        ci_low=ends[1],
        ci_high=ends[2],
        interval=say("{level:g} % CI", level=confidence(found.error)),
        verdict=verdict,
        agrees=verdict == claim.verdict,
        text=text,
        ci_text=ci_text or Sentence(""),
    )


class Beside(NamedTuple):
    """Sentences to a claim. ``cautions``: what a reader of the claim must not miss."""

    agreeing: list[Sentence]
    cautions: list[Sentence]


def beside(metric: Metric, labels: Arms, own: ArmMetric, base: ArmMetric) -> Beside:
    """``own`` and ``base`` are the results of the arms, of which a check voids none."""
    comparison = own.comparison
    if comparison is None or comparison.family != "primary" or comparison.verdict == "not_valid":
        return Beside([], [])
    apart = _standing_apart(metric, labels, own, base, comparison) if comparison.scale == "ratio" else []
    if (found := comparison.robust) is None:
        return Beside([], list(apart))
    size = found.text if comparison.scale == "ratio" else numbers.in_unit(found.text, metric.info.unit)
    figures = {"size": size, "interval": found.interval, "ends": found.ci_text}
    if found.agrees:
        return Beside([say("Without assuming normal scatter: {size} ({interval} {ends}).", **figures)], list(apart))
    template = "Without assuming normal scatter: {size} ({interval} {ends}), which alone would be {verdict}."
    return Beside([], [say(template, **figures, verdict=fixed(found.verdict)), *apart])


def _standing_apart(
    metric: Metric, labels: Arms, own: ArmMetric, base: ArmMetric, comparison: Comparison
) -> Iterator[Sentence]:
    """A trial that others would not predict, how often it may happen, and what the other arm's trials cannot show."""
    values = [{one.block: one.value for one in arm.values} for arm in (own, base)]
    judged = sorted(values[0].keys() & values[1].keys())[: comparison.pairs]  # not what its look has yet to see
    values = [{block: arm[block] for block in judged} for arm in values]
    if any(value <= 0 for arm in values for value in arm.values()):
        return
    blocks, *logs = _pairs(*values, is_ratio=True)
    found = outlying(logs[0], logs[1])
    if found is None or abs(found.by) <= math.log1p(comparison.margin):
        return
    apart, other = (0, 1) if found.own else (1, 0)
    low, high = share_interval(1, len(values[apart]))
    yield say(
        "A trial of `{arm}` stands apart, that of block {block}: {metric} {size} against the median of its others. "
        "What happens in 1 of {trials} trials may happen in {low:.1f} to {high:.0f} % of all; in the {others} "
        "trials of `{other}`, a stall in up to {unseen:.0f} % of trials would not show.",
        metric=fixed(metric.phrase),
        arm=labels[apart],
        block=blocks[found.place],
        size=change(math.exp(found.by)),
        trials=len(values[apart]),
        low=100 * low,
        high=100 * high,
        others=len(values[other]),
        other=labels[other],
        unseen=100 * unseen_share(len(values[other])),
    )


def _pairs(
    own: Mapping[int, float], base: Mapping[int, float], *, is_ratio: bool
) -> tuple[list[int], NDArray[np.float64], NDArray[np.float64]]:
    """The blocks that have both, and the values, as logarithms where ratios are compared."""
    blocks = sorted(own.keys() & base.keys())
    ours, theirs = (np.array([arm[block] for block in blocks], np.float64) for arm in (own, base))
    return (blocks, np.log(ours), np.log(theirs)) if is_ratio else (blocks, ours, theirs)


def arm_sentences(metrics: Sequence[Metric], arms: Sequence[ArmAnalysis], baseline: str) -> list[VerdictSentence]:
    """Arm by arm, in the order of ``metrics``, which is also that of each arm's metrics."""
    reference = next(arm for arm in arms if arm.key == baseline)
    return [
        arm_sentence(metric, (arm, reference), own, base)
        for arm in arms
        if arm is not reference
        for metric, own, base in zip(metrics, arm.metrics, reference.metrics, strict=True)
    ]


def stream_sentences(arms: Sequence[ArmAnalysis], baseline: str) -> list[VerdictSentence]:
    """Arm by arm and stream by stream; empty where trials have a single stream."""
    reference = next(arm for arm in arms if arm.key == baseline)
    return [
        arm_sentence(metric, (arm, reference), own, base)
        for arm in arms
        if arm is not reference
        for stream, of_reference in zip(arm.streams, reference.streams, strict=True)
        for metric, own, base in zip(stream_metrics(stream.stream), stream.metrics, of_reference.metrics, strict=True)
    ]


def arm_sentence(
    metric: Metric, arms: tuple[ArmAnalysis, ArmAnalysis], own: ArmMetric, base: ArmMetric
) -> VerdictSentence:
    """``arms``: one, and that with which it is compared; ``own`` and ``base`` are their results."""
    arm, reference = arms
    comparison, labels = own.comparison, (arm.label, reference.label)
    verdict, family = (comparison.verdict, comparison.family) if comparison is not None else (None, "exploratory")
    if comparison is None or own.mean is None or base.mean is None:
        text = wording.no_comparison(metric, labels, own.no_comparison_reason or say("no value"))
    else:
        text = wording.sentence(metric, labels, (own.mean, base.mean), comparison)
    said = beside(metric, labels, own, base)
    return VerdictSentence(
        arm=arm.key,
        stream=metric.stream,
        metric=metric.info.key,
        family=family,
        verdict=verdict,
        text=text,
        beside=said.agreeing,
        cautions=said.cautions,
    )


_OPEN = frozenset({"undecided", None})


def headline_statements(sentences: Sequence[VerdictSentence], primary: Sequence[str]) -> list[VerdictSentence]:
    """On primary metrics only, metric by metric, arm by arm: what is decided, then what stays open.

    ``primary``: names of metrics in their order. Claims that a check voids are not stated.
    """
    order = {name: place for place, name in enumerate(primary)}
    stated = [one for one in sentences if _name(one) in order and one.verdict != "not_valid"]
    return sorted(stated, key=lambda one: (order[_name(one)], one.verdict in _OPEN))


def verdict_state(statements: Sequence[VerdictSentence]) -> VerdictState:
    """The state of a valid run, by its headline's statements."""
    return "decided" if any(one.verdict not in _OPEN for one in statements) else "undecided"


def _name(sentence: VerdictSentence) -> str:
    return sentence.metric if sentence.stream is None else f"{sentence.stream}.{sentence.metric}"
