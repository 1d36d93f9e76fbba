"""Every comparison of a run as one statement."""

from collections.abc import Sequence

from ngxlab_contracts.sentences import say

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmAnalysis, ArmMetric, VerdictSentence
from ngxlab.analysis.verdict import wording
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
    return VerdictSentence(
        arm=arm.key, stream=metric.stream, metric=metric.info.key, family=family, verdict=verdict, text=text
    )
