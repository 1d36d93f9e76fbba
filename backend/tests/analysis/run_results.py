"""Runs made of summaries with chosen figures, analysed, and ways into the result."""

from collections.abc import Callable, Mapping, Sequence

from analysis import builders
from analysis.scenario import Scenario
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import (
    ArmAnalysis,
    ArmInfo,
    ArmMetric,
    CheckResult,
    PlanFacts,
    RunAnalysis,
    TrialSummary,
    VerdictSentence,
)
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_verdict import Course

ARMS = [ArmInfo(key=key, label=label) for key, label in [("on", "mutex on"), ("off", "mutex off"), ("rp", "reuseport")]]
TEMPLATE = summarise_trial(builders.trial(Scenario().build()))


def summary(arm: str, block: int, requests_per_s: float | None, **changes: object) -> TrialSummary:
    facts = {"trial_id": builders.identity(f"{arm}{block}{changes.get('attempt', 1)}"), "arm": arm, "block": block}
    return TEMPLATE.model_copy(update=facts | {"requests_per_s": requests_per_s} | changes)


def analyse(
    rates: Mapping[str, Sequence[float | None]],
    extra: Sequence[TrialSummary] = (),
    checks: Sequence[CheckResult] = (),
    margin: float = 0.02,
    primary: Sequence[str] = (),
    *,
    ended_as_planned: bool = False,
) -> RunAnalysis:
    """``rates``: requests/s of each arm by block; ``None`` leaves the trial out.

    ``ended_as_planned``: blocks may be added to the run, which else is judged as if nobody could.
    """
    trials = [
        summary(arm, block, rate)
        for arm, of_arm in rates.items()
        for block, rate in enumerate(of_arm, start=1)
        if rate is not None
    ]
    blocks = max(len(of_arm) for of_arm in rates.values())
    course = Course(blocks)
    (stage,) = course.stages(blocks)
    plan = PlanFacts(
        blocks=blocks,
        measure_s=10,
        warmup_s=2,
        trials_planned=blocks * len(rates),
        course=course if ended_as_planned else None,
        spent=stage.spent if ended_as_planned else 0.0,
    )
    arms = [arm for arm in ARMS if arm.key in rates]
    pairs = [(trial, list(checks)) for trial in [*trials, *extra]]
    return analyse_run(arms, "on", pairs, plan, margin=margin, primary=primary)


def arm_of(analysis: RunAnalysis, key: str) -> ArmAnalysis:
    return next(arm for arm in analysis.arms if arm.key == key)


def metric_of(analysis: RunAnalysis, arm: str, metric: str = "requests_per_s") -> ArmMetric:
    return next(one for one in arm_of(analysis, arm).metrics if one.metric == metric)


def said(analysis: RunAnalysis, arm: str, metric: str = "requests_per_s") -> VerdictSentence:
    return next(one for one in analysis.sentences if (one.arm, one.metric) == (arm, metric))


def by_margin(margin: float) -> Callable[..., RunAnalysis]:
    """A method that judges by ``margin``, whatever the plan says."""
    return lambda *given, **named: analyse_run(*given, **{**named, "margin": margin})
