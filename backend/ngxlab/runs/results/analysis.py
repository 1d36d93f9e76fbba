"""What a run's trials give together. The result can be computed again at any time."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from ngxlab_contracts.sentences import fixed, written
from ngxlab_verdict import Looks
from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.gates import Outcome, ThresholdResult, evaluate_at, overall
from ngxlab.analysis.method import METHOD
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import ArmInfo, PlanFacts, RunAnalysis, StopCode, TrialSummary
from ngxlab.analysis.thresholds import parse
from ngxlab.analysis.verdict.windows import mark
from ngxlab.core.clock import utcnow
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.plan import text_of
from ngxlab.runs import repository as runs
from ngxlab.runs.calibration import service as calibrations
from ngxlab.runs.choosing import arms_left, choice_of
from ngxlab.runs.judging import blocks_wanted, judging
from ngxlab.runs.models import Run, Trial, definition_of
from ngxlab.runs.presentation import judgement
from ngxlab.runs.results.run_points import points_of
from ngxlab.runs.results.trial_results import Result, short
from ngxlab.runs.schemas import FormerJudgement, Judgement
from ngxlab.runs.states import RunState
from ngxlab.templates.primary import primary_metrics


@dataclass(frozen=True)
class RunResults:
    """``trials``: the latest attempts that have started, with the summaries that the analysis uses.

    ``unreadable``: trials whose stored data cannot be analysed, and why; the analysis leaves them out.
    """

    analysis: RunAnalysis
    thresholds: list[ThresholdResult]
    outcome: Outcome | None
    trials: list[tuple[Trial, TrialSummary]]
    unreadable: list[str]
    looks: Looks | None = None


Obtain = Callable[[AsyncSession, Run, Sequence[Trial]], Awaitable[Mapping[UUID, Result | Exception]]]
"""How whoever analyses comes by the results of trials: a job computes what is missing, a page waits for that job."""


async def analyse(session: AsyncSession, run: Run, obtain: Obtain) -> RunResults:
    """What a run has measured so far. The headline and the thresholds' result are stored when the run is over."""
    definition = definition_of(run)
    every = [trial for trial in await runs.trials(session, run.id) if not trial.is_profile]
    latest = {trial.position: trial for trial in every if trial.hosts and trial.heat is None}
    found = await obtain(session, run, list(latest.values()))
    results, unreadable = [], []
    for trial in latest.values():
        result = found[trial.id]
        if isinstance(result, Exception):
            unreadable.append(f"Trial {trial.position + 1} ({trial.arm}) is unreadable: {short(result)}")
        else:
            results.append((trial, *result))
    left = arms_left(run, definition)
    arms = [ArmInfo(key=arm.key, label=arm.label, levels=arm.levels) for arm in definition.arms if arm.key in left]
    attempts = list({trial.position: trial for trial in every}.values())
    facts = _facts(run, definition, attempts, len(arms))
    trials = [(summary, checks) for _, summary, checks in results]
    primary, known = primary_metrics(definition), await calibrations.calibrated(session, run, definition)
    known = known._replace(identical=_among(known.identical, left))
    work = partial(
        analyse_run, arms, definition.baseline, trials, facts,
        margin=definition.plan.matters_percent / 100, primary=primary, calibrated=known,
        choice=choice_of(run, definition),
    )  # fmt: skip
    analysis = await asyncio.to_thread(work)
    wanted = [parse(text_of(entry)) for entry in definition.thresholds]
    judged = await asyncio.to_thread(evaluate_at, wanted, analysis, [summary for summary, _ in trials], facts)
    if analysis.chosen_window is not None:
        judged = [one.model_copy(update={"message": mark(fixed(one.message))}) for one in judged]
    outcome = overall(judged)
    if RunState(run.state).final:
        kept: dict[str, Any] = {
            "headline": str(analysis.headline),
            "said": written(analysis.headline),
            "verdict": analysis.verdict,
            "outcome": outcome,
            "more_blocks": analysis.more_blocks,
        }
        said = ("question", "sign", "word", "text")
        kept["answers"] = [one.model_dump(mode="json", include=set(said)) for one in analysis.answers]
        builds = {arm.nginx_build.version for arm in analysis.arms if arm.nginx_build is not None}
        kept["nginx"] = sorted(builds)
        kept["scatter"] = [one.model_dump(mode="json") for one in analysis.scatter]
        points = await asyncio.to_thread(points_of, definition, analysis, [summary for summary, _ in trials])
        kept["points"] = points.model_dump(mode="json")
        await calibrations.keep(session, run, definition, analysis)
        keep(run, kept, passed={"pass": True, "fail": False}.get(outcome or ""))
    shown = [(trial, summary) for trial, summary, _ in results]
    return RunResults(analysis, judged, outcome, shown, unreadable, facts.looks)


def _among(identical: Sequence[str], left: Sequence[str]) -> Sequence[str]:
    """Of identical arms, those that are left, where there are two or more."""
    found = [arm for arm in identical if arm in left]
    return found if len(found) > 1 else ()


_STOPPED: Mapping[str, StopCode] = {"decided": "decided", "hopeless": "hopeless", "precise": "precise"}


def _facts(run: Run, definition: Definition, attempts: Sequence[Trial], arms: int) -> PlanFacts:
    """``attempts``: the latest of each trial. ``arms``: how many are left."""
    plan = definition.plan
    judged = judging(run, plan, attempts)
    *earlier, look = judged.stages
    return PlanFacts(
        blocks=run.blocks,
        measure_s=plan.measure_s,
        warmup_s=plan.warmup_s,
        cooldown_s=plan.cooldown_s,
        trials_planned=run.blocks * arms,
        looks=look.looks,
        spent=look.spent,
        earlier=tuple(earlier),
        course=judged.course,
        open_blocks=judged.unseen,
        stopped=_STOPPED.get(run.state_code or ""),
        ended_early_of=blocks_wanted(run, plan) if run.finish_requested_at is not None else None,
    )


_INTERVAL = re.compile(r"\(([^()]* CI [^()]*)\)")
_FIGURE = re.compile(r"[+−-]?\d[\d,]*(?:\.\d+)?")


def meaning(one: Judgement) -> tuple[Any, ...]:
    """Equal for judgements that say the same: answers and intervals as they are shown, whatever their digits below.

    How many checks there are, which the headline ends with, says nothing of the arms.
    """
    intervals = [_FIGURE.findall(interval) for interval in _INTERVAL.findall(one.headline)]
    answers = [(answer.sign, str(answer.word), str(answer.text)) for answer in one.answers]
    return one.verdict, one.outcome, answers, intervals


def keep(run: Run, analysis: dict[str, Any], *, passed: bool | None) -> None:
    """Store what this version says of a run that is over, and beside it what another one said differently."""
    former, now = judgement(run), utcnow()
    run.analysis, run.passed = analysis, passed
    own = judgement(run)
    is_same = former is not None and own is not None and meaning(former) == meaning(own)
    if former is not None and not is_same and run.method != METHOD:
        told = FormerJudgement(**dict(former), until=now)
        run.judged_before = [*run.judged_before, told.model_dump(mode="json")]
    if not is_same or run.method != METHOD:
        run.judged_at = now
    run.method = METHOD


def is_outdated() -> ColumnElement[bool]:
    """Whether an earlier version has judged the run."""
    return and_(Run.finished_at.is_not(None), Run.analysis.is_not(None), Run.method < METHOD)


async def outdated(session: AsyncSession, limit: int | None = None) -> Sequence[UUID]:
    """The runs that an earlier version has judged, the newest first."""
    found = select(Run.id).where(is_outdated()).order_by(Run.created_at.desc()).limit(limit)
    return (await session.scalars(found)).all()
