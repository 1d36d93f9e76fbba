"""A run in figures: every arm against the baseline, with what may and may not be said of it."""

from collections.abc import Sequence

from ngxlab.analysis import wording
from ngxlab.analysis.check_rollup import roll_up
from ngxlab.analysis.checks import check_run
from ngxlab.analysis.comparison import TrialsByBlock, arm_metric
from ngxlab.analysis.comparison_metrics import METRICS, Metric
from ngxlab.analysis.pooling import arm_balance, pooled_latency
from ngxlab.analysis.schemas import (
    ArmAnalysis,
    ArmInfo,
    ArmMetric,
    CheckResult,
    CheckSummary,
    PlanFacts,
    RunAnalysis,
    TrialSummary,
    VerdictSentence,
)
from ngxlab.analysis.statistics import MIN_MARGIN

PREVIEW_BLOCKS = 3
_ALWAYS_IN_HEADLINE = frozenset({"requests_per_s"})
_IN_HEADLINE_WHEN_CLAIMED = frozenset({"latency_p99_us", "latency_stdev_us", "worker_cpu_cv"})


def analyse_run(
    arms: Sequence[ArmInfo],
    baseline: str,
    trials: Sequence[tuple[TrialSummary, Sequence[CheckResult]]],
    plan: PlanFacts,
    margin: float = MIN_MARGIN,
) -> RunAnalysis:
    """Works on whatever part of a run exists. ``margin``: :func:`statistics.noise_margin` of the host.

    Only usable trials enter, of each arm and block the last attempt. Each comparison uses the blocks in which both
    arms have one. Raises ValueError where ``baseline`` is not among ``arms``.
    """
    if baseline not in {arm.key for arm in arms}:
        raise ValueError(f"baseline {baseline!r} is not one of the arms {[arm.key for arm in arms]}")
    usable = {arm.key: _usable_by_block([summary for summary, _ in trials], arm.key) for arm in arms}
    seen = {arm.key: sum(summary.arm == arm.key for summary, _ in trials) for arm in arms}
    analysed = [_analyse_arm(arm, seen[arm.key], usable, baseline, margin) for arm in arms]
    sentences = _sentences(analysed, baseline)
    checks = _checks(trials, usable)
    complete = set.intersection(*(set(blocks) for blocks in usable.values()))
    used = sum(len(blocks) for blocks in usable.values())
    return RunAnalysis(
        baseline=baseline,
        headline=_headline(sentences, len(complete), used, plan, checks),
        sentences=sentences,
        preview=len(complete) <= PREVIEW_BLOCKS,
        trustworthy=checks.errors == 0,
        partial=used < plan.trials_planned,
        blocks_planned=plan.blocks,
        blocks_complete=len(complete),
        margin=margin,
        metrics=[metric.info for metric in METRICS],
        arms=analysed,
        checks=checks,
    )


def _usable_by_block(summaries: Sequence[TrialSummary], arm: str) -> dict[int, TrialSummary]:
    of_arm = [summary for summary in summaries if summary.arm == arm and summary.usable]
    return {summary.block: summary for summary in sorted(of_arm, key=lambda summary: summary.attempt)}


def _analyse_arm(
    arm: ArmInfo, seen: int, usable: dict[str, dict[int, TrialSummary]], baseline: str, margin: float
) -> ArmAnalysis:
    own: TrialsByBlock = usable[arm.key]
    trials = list(own.values())
    against = None if arm.key == baseline else usable[baseline]
    pooled = pooled_latency(trials)
    return ArmAnalysis(
        key=arm.key,
        label=arm.label,
        levels=arm.levels,
        is_baseline=arm.key == baseline,
        trials=seen,
        usable_trials=len(trials),
        metrics=[arm_metric(metric, own, against, margin) for metric in METRICS],
        latency=pooled.summarise() if pooled is not None else None,
        distribution=pooled.distribution() if pooled is not None else [],
        balance=arm_balance(trials),
    )


def _sentences(arms: Sequence[ArmAnalysis], baseline: str) -> list[VerdictSentence]:
    reference = next(arm for arm in arms if arm.key == baseline)
    others = [arm for arm in arms if arm.key != baseline]
    return [
        _sentence(metric, arm, reference, own, base)
        for arm in others
        for metric, own, base in zip(METRICS, arm.metrics, reference.metrics, strict=True)
    ]


def _sentence(
    metric: Metric, arm: ArmAnalysis, reference: ArmAnalysis, own: ArmMetric, base: ArmMetric
) -> VerdictSentence:
    comparison = own.comparison
    if comparison is None or own.mean is None or base.mean is None:
        text = wording.no_comparison(metric, arm.label, own.no_comparison_reason or "no figure")
        return VerdictSentence(arm=arm.key, metric=metric.info.key, verdict=None, text=text)
    text = wording.sentence(metric, arm.label, reference.label, (own.mean, base.mean), comparison)
    return VerdictSentence(arm=arm.key, metric=metric.info.key, verdict=comparison.verdict, text=text)


def _headline(
    sentences: Sequence[VerdictSentence], complete: int, used: int, plan: PlanFacts, checks: CheckSummary
) -> str:
    said = [
        sentence.text
        for sentence in sentences
        if sentence.metric in _ALWAYS_IN_HEADLINE
        or (sentence.metric in _IN_HEADLINE_WHEN_CLAIMED and sentence.verdict in {"better", "worse"})
    ]
    partial = f"Partial: {used} of {plan.trials_planned} trials are usable." if used < plan.trials_planned else None
    preview = complete if complete <= PREVIEW_BLOCKS else None
    return wording.headline(said, preview_blocks=preview, partial=partial, validity=checks.text)


def _checks(
    trials: Sequence[tuple[TrialSummary, Sequence[CheckResult]]], usable: dict[str, dict[int, TrialSummary]]
) -> CheckSummary:
    """Of the trials that enter the comparison; of all where none does, to show why."""
    entered = {summary.trial_id for blocks in usable.values() for summary in blocks.values()}
    relevant = [pair for pair in trials if pair[0].trial_id in entered] or list(trials)
    results = [result for _, of_trial in relevant for result in of_trial]
    return roll_up([*results, *check_run([summary for summary, _ in relevant])])
