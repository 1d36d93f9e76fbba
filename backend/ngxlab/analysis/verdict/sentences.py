"""Every comparison of a run as one statement."""

from collections.abc import Sequence

from ngxlab_contracts.sentences import say

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmAnalysis, ArmMetric, VerdictSentence, VerdictState
from ngxlab.analysis.verdict import wording
from ngxlab.analysis.verdict.beside import beside
from ngxlab.analysis.verdict.stream_comparison import stream_metrics


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
