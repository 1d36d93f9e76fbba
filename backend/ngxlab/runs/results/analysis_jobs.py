"""Run the analysis on stored trials and cache its results. The cache can be rebuilt at any time."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from ngxlab_verdict import Looks
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.gates import Outcome, ThresholdResult, evaluate, overall
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import ArmInfo, PlanFacts, RunAnalysis, TrialSummary
from ngxlab.analysis.thresholds import parse
from ngxlab.analysis.verdict.looked_at import so_far
from ngxlab.analysis.verdict.windows.chosen import mark
from ngxlab.core.database import Database, after_commit, database_of
from ngxlab.core.loops.loop import end
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.thresholds import text_of
from ngxlab.runs import repository as runs
from ngxlab.runs.announce import announce
from ngxlab.runs.calibration import service as calibrations
from ngxlab.runs.looks.judging import blocks_at_most, looks_at, open_blocks, spent_on_looks
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.readable import definition_of
from ngxlab.runs.results.run_points import points_of
from ngxlab.runs.results.trial_results import compute, keep, short, trial_results
from ngxlab.runs.states import RunState
from ngxlab.templates.primary import primary_metrics

log = structlog.get_logger()

_background: set[asyncio.Task[None]] = set()
_FINISH_WITHIN_S, _END_WITHIN_S = 3.0, 1.0
"""At the end of the process, which is killed after ten seconds."""


def in_background(work: Coroutine[Any, Any, None]) -> None:
    """Work that follows a commit; :func:`finish_background` waits for it."""
    task = asyncio.create_task(work)
    _background.add(task)
    task.add_done_callback(_finished)


def _finished(task: asyncio.Task[None]) -> None:
    _background.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("analysis failed; the report will try again", exc_info=error)


async def finish_background() -> None:
    """Wait for analyses in progress, and end those that take too long: reports compute what is missing."""
    loop = asyncio.get_running_loop()
    if own := [task for task in _background if task.get_loop() is loop]:
        left = (await asyncio.wait(own, timeout=_FINISH_WITHIN_S))[1]
        await end(left, _END_WITHIN_S)


def summarise_later(session: AsyncSession, trial_id: UUID) -> None:
    """Summarise a trial that has just ended, after its end has been committed."""
    database = database_of(session)

    async def start() -> None:
        in_background(_summarise(database, trial_id))

    after_commit(session, start)


async def _summarise(database: Database, trial_id: UUID) -> None:
    async with database.transaction() as session:
        trial = await runs.trial(session, trial_id)
        run = await runs.run(session, trial.run_id) if trial else None
        if trial is None or run is None:
            return
        result = (await compute(session, run, [trial]))[trial_id]
    async with database.transaction() as session:
        await runs.lock_run(session, run.id)
        trial = await runs.trial(session, trial_id)
        if trial is not None:
            keep(trial, result)
            await session.flush()
            await announce(session, run.id)
    await _judge_so_far(database, run.id, trial_id)


async def _judge_so_far(database: Database, run_id: UUID, trial_id: UUID) -> None:
    """Keep the verdict of a run that goes on, whenever a block is complete: looks see complete blocks only."""
    async with database.transaction() as session:
        run = await runs.run(session, run_id)
        latest = {trial.position: trial for trial in await runs.trials_alone(session, run_id)}
        block = next((trial.block for trial in latest.values() if trial.id == trial_id), None)
        if run is None or RunState(run.state).final or block in {None, *open_blocks(run, list(latest.values()))}:
            return
        results = await analyse(session, run)
        verdict = so_far(results.analysis, results.looks)
    async with database.transaction() as session:
        run = await runs.lock_run(session, run_id)
        if run is not None and not RunState(run.state).final:
            run.analysis = {"so_far": verdict}
            await session.flush()
            await announce(session, run_id)


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


async def analyse(session: AsyncSession, run: Run) -> RunResults:
    """What a run has measured so far. The headline and the thresholds' result are stored when the run is over."""
    definition, every = definition_of(run), await runs.trials(session, run.id)
    latest = {trial.position: trial for trial in every if trial.hosts}
    found = await trial_results(session, run, list(latest.values()))
    results, unreadable = [], []
    for trial in latest.values():
        result = found[trial.id]
        if isinstance(result, Exception):
            unreadable.append(f"Trial {trial.position + 1} ({trial.arm}) is unreadable: {short(result)}")
        else:
            results.append((trial, *result))
    arms = [ArmInfo(key=arm.key, label=arm.label, levels=arm.levels) for arm in definition.arms]
    attempts = list({trial.position: trial for trial in every}.values())
    facts = _facts(run, definition, attempts)
    trials = [(summary, checks) for _, summary, checks in results]
    primary, known = primary_metrics(definition), await calibrations.calibrated(session, run, definition)
    work = partial(analyse_run, arms, definition.baseline, trials, facts, primary=primary, calibrated=known)
    analysis = await asyncio.to_thread(work)
    wanted = [parse(text_of(entry)) for entry in definition.thresholds]
    judged = await asyncio.to_thread(evaluate, wanted, analysis, [summary for summary, _ in trials], facts.looks)
    if analysis.chosen_window is not None:
        judged = [one.model_copy(update={"message": mark(one.message)}) for one in judged]
    outcome = overall(judged)
    if RunState(run.state).final:
        kept: dict[str, Any] = {"headline": analysis.headline, "verdict": analysis.verdict, "outcome": outcome}
        said = ("question", "sign", "word", "text")
        kept["answers"] = [one.model_dump(mode="json", include=set(said)) for one in analysis.answers]
        builds = {arm.nginx_build.version for arm in analysis.arms if arm.nginx_build is not None}
        kept["nginx"] = sorted(builds)
        kept["scatter"] = [one.model_dump(mode="json") for one in analysis.scatter]
        points = await asyncio.to_thread(points_of, definition, analysis, [summary for summary, _ in trials])
        kept["points"] = points.model_dump(mode="json")
        await calibrations.keep(session, run, definition, analysis)
        run.analysis = kept
        run.passed = {"pass": True, "fail": False}.get(outcome or "")
    shown = [(trial, summary) for trial, summary, _ in results]
    return RunResults(analysis, judged, outcome, shown, unreadable, facts.looks)


def _facts(run: Run, definition: Definition, attempts: Sequence[Trial]) -> PlanFacts:
    """``attempts``: the latest of each trial."""
    plan = definition.plan
    looks = looks_at(run, plan, attempts)
    return PlanFacts(
        blocks=run.blocks,
        measure_s=plan.measure_s,
        warmup_s=plan.warmup_s,
        cooldown_s=plan.cooldown_s,
        trials_planned=run.blocks * len(definition.arms),
        looks=looks,
        spent=spent_on_looks(plan, looks),
        open_blocks=open_blocks(run, attempts),
        ended_early_of=blocks_at_most(plan) if run.finish_requested_at is not None else None,
    )


def analyse_later(session: AsyncSession, run_id: UUID) -> None:
    """Store a finished run's headline for lists of runs, after its end has been committed."""
    database = database_of(session)

    async def start() -> None:
        in_background(analyse_ended(database, run_id))

    after_commit(session, start)


async def analyse_ended(database: Database, run_id: UUID) -> None:
    """Store what a finished run's trials give, for lists, trends and schedules."""
    async with database.transaction() as session:
        run = await runs.lock_run(session, run_id)
        if run is not None:
            await analyse(session, run)
            await session.flush()
            await announce(session, run_id)
