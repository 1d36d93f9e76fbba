"""The analysis of a run: every arm against the baseline, and the statements that the data support."""

from collections.abc import Sequence

from ngxlab.analysis.checks import check_run
from ngxlab.analysis.checks.rollup import roll_up
from ngxlab.analysis.factorial.effects import factor_effects
from ngxlab.analysis.metrics import Metric, metrics_of
from ngxlab.analysis.schemas import (
    ArmAnalysis,
    ArmInfo,
    CheckResult,
    CheckSummary,
    PlanFacts,
    RunAnalysis,
    TrialSummary,
)
from ngxlab.analysis.statistics.paired import MIN_MARGIN
from ngxlab.analysis.verdict import wording
from ngxlab.analysis.verdict.comparison import TrialsByBlock, arm_metric
from ngxlab.analysis.verdict.headline import headline_statements
from ngxlab.analysis.verdict.pooling import arm_balance, pooled_latency
from ngxlab.analysis.verdict.sentences import arm_sentences, stream_sentences
from ngxlab.analysis.verdict.stream_comparison import compare_streams, stream_keys
from ngxlab.analysis.verdict.usable_trials import usable_by_block

PREVIEW_BLOCKS = 3


def analyse_run(
    arms: Sequence[ArmInfo],
    baseline: str,
    trials: Sequence[tuple[TrialSummary, Sequence[CheckResult]]],
    plan: PlanFacts,
    margin: float = MIN_MARGIN,
) -> RunAnalysis:
    """Also works on a run that is not finished. ``margin``: see :func:`paired.noise_margin`.

    Only usable trials are compared, of each arm and block the last attempt. Each comparison uses the blocks in which
    both arms have one. Raises ValueError if ``baseline`` is not among ``arms``.
    """
    if baseline not in {arm.key for arm in arms}:
        raise ValueError(f"baseline {baseline!r} is not one of the arms {[arm.key for arm in arms]}")
    usable = {arm.key: usable_by_block([summary for summary, _ in trials], arm.key) for arm in arms}
    seen = {arm.key: sum(summary.arm == arm.key for summary, _ in trials) for arm in arms}
    compared = [summary for blocks in usable.values() for summary in blocks.values()]
    metrics, streams = metrics_of(compared), stream_keys(compared)
    analysed = [
        _analyse_arm(arm, seen[arm.key], usable, baseline=baseline, margin=margin, metrics=metrics, streams=streams)
        for arm in arms
    ]
    sentences, of_streams = arm_sentences(metrics, analysed, baseline), stream_sentences(analysed, baseline)
    factorial = factor_effects(metrics, arms, baseline, usable)
    checks = _checks(trials, usable)
    complete = set.intersection(*(set(blocks) for blocks in usable.values()))
    used = len(compared)
    statements = headline_statements([*sentences, *of_streams], compared)
    qualification = _qualification(len(complete), used, plan, checks)
    return RunAnalysis(
        baseline=baseline,
        headline=" ".join([*(statement.text for statement in statements), qualification]),
        statements=statements,
        qualification=qualification,
        sentences=sentences,
        stream_sentences=of_streams,
        preview=len(complete) <= PREVIEW_BLOCKS,
        trustworthy=checks.errors == 0,
        partial=used < plan.trials_planned,
        blocks_planned=plan.blocks,
        blocks_complete=len(complete),
        margin=margin,
        metrics=[metric.info for metric in metrics],
        arms=analysed,
        factor_effects=factorial.effects,
        factor_interactions=factorial.interactions,
        factor_effects_reason=factorial.reason,
        checks=checks,
    )


def _analyse_arm(
    arm: ArmInfo,
    seen: int,
    usable: dict[str, dict[int, TrialSummary]],
    *,
    baseline: str,
    margin: float,
    metrics: Sequence[Metric],
    streams: Sequence[str],
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
        metrics=[arm_metric(metric, own, against, margin) for metric in metrics],
        latency=pooled.summarise() if pooled is not None else None,
        distribution=pooled.distribution() if pooled is not None else [],
        balance=arm_balance(trials),
        streams=compare_streams(streams, own, against, margin),
    )


def _qualification(complete: int, used: int, plan: PlanFacts, checks: CheckSummary) -> str:
    partial = f"Partial: {used} of {plan.trials_planned} trials are usable." if used < plan.trials_planned else None
    preview = complete if complete <= PREVIEW_BLOCKS else None
    return wording.qualification(preview_blocks=preview, partial=partial, validity=checks.text)


def _checks(
    trials: Sequence[tuple[TrialSummary, Sequence[CheckResult]]], usable: dict[str, dict[int, TrialSummary]]
) -> CheckSummary:
    """Of the trials that are compared; of all trials if none is, to show why."""
    compared = {summary.trial_id for blocks in usable.values() for summary in blocks.values()}
    relevant = [pair for pair in trials if pair[0].trial_id in compared] or list(trials)
    results = [result for _, of_trial in relevant for result in of_trial]
    return roll_up([*results, *check_run([summary for summary, _ in relevant])])
