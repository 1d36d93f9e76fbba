"""Run the analysis on stored trials and cache its results. The cache can be rebuilt at any time."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.checks import check_trial
from ngxlab.analysis.gates import Outcome, ThresholdResult, evaluate, overall
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import ArmInfo, CheckResult, PlanFacts, RunAnalysis, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.analysis.thresholds import parse
from ngxlab.core.database import Database, after_commit, database_of
from ngxlab.core.stored import Unreadable
from ngxlab.definition.schema.definition import Definition
from ngxlab.runs import repository as runs
from ngxlab.runs.announce import announce
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.readable import definition_of
from ngxlab.runs.states import RunState, TrialState
from ngxlab.runs.telemetry import trial_record
from ngxlab.templates.registry import template

log = structlog.get_logger()

UNREADABLE = Unreadable.code
"""The code of a trial whose stored data cannot be analysed. Each report tries again: a newer version may read them."""

_background: set[asyncio.Task[None]] = set()


def _in_background(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(work)
    _background.add(task)
    task.add_done_callback(_finished)


def _finished(task: asyncio.Task[None]) -> None:
    _background.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("analysis failed; the report will try again", exc_info=error)


async def finish_background() -> None:
    """Wait for analyses in progress (at shutdown)."""
    await asyncio.gather(*_background, return_exceptions=True)


def summarise_later(session: AsyncSession, trial_id: UUID) -> None:
    """Summarise a trial that has just ended, after its end has been committed."""
    database = database_of(session)

    async def start() -> None:
        _in_background(_summarise(database, trial_id))

    after_commit(session, start)


async def _summarise(database: Database, trial_id: UUID) -> None:
    async with database.transaction() as session:
        trial = await runs.trial(session, trial_id)
        run = await runs.run(session, trial.run_id) if trial else None
        if trial is None or run is None:
            return
        summary, checks = await _compute(session, run, trial)
    async with database.transaction() as session:
        await runs.lock_run(session, run.id)
        trial = await runs.trial(session, trial_id)
        if trial is not None:
            _keep(trial, summary, checks)
            await session.flush()
            await announce(session, run.id)


async def _compute(session: AsyncSession, run: Run, trial: Trial) -> tuple[TrialSummary, list[CheckResult]]:
    record = await trial_record(session, run, trial)

    def work() -> tuple[TrialSummary, list[CheckResult]]:
        summary = summarise_trial(record)
        return summary, check_trial(record, summary)

    return await asyncio.to_thread(work)


def _keep(trial: Trial, summary: TrialSummary, checks: list[CheckResult]) -> None:
    trial.summary = summary.model_dump(mode="json")
    trial.checks = [check.model_dump(mode="json") for check in checks]


async def trial_results(session: AsyncSession, run: Run, trial: Trial) -> tuple[TrialSummary, list[CheckResult]]:
    """A trial's summary and checks: from the cache, or computed and cached now."""
    if trial.summary is not None and trial.checks is not None:
        try:
            return TrialSummary.model_validate(trial.summary), [CheckResult.model_validate(c) for c in trial.checks]
        except ValidationError:
            log.warning("kept summary is unreadable: computing it again", trial_id=str(trial.id))
    summary, checks = await _compute(session, run, trial)
    if TrialState(trial.state).final:
        _keep(trial, summary, checks)
        if trial.code == UNREADABLE and trial.state == TrialState.completed:  # by an older version
            trial.code = trial.reason = None
    return summary, checks


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


async def analyse(session: AsyncSession, run: Run) -> RunResults:
    """What a run has measured so far. The headline and the thresholds' result are stored when the run is over."""
    definition = definition_of(run)
    latest = {trial.position: trial for trial in await runs.trials(session, run.id) if trial.hosts}
    results, unreadable = [], []
    for trial in latest.values():
        try:
            results.append((trial, *await trial_results(session, run, trial)))
        except (SQLAlchemyError, OSError):
            raise
        except Exception as error:  # noqa: BLE001  (whatever stored data provoke is logged and costs this trial alone)
            reason = _short(error)
            unreadable.append(f"Trial {trial.position + 1} ({trial.arm}) is unreadable: {reason}")
            _name_unreadable(trial, reason)
    arms = [ArmInfo(key=arm.key, label=arm.label, levels=arm.levels) for arm in definition.arms]
    plan = definition.plan
    facts = PlanFacts(
        blocks=run.blocks,
        measure_s=plan.measure_s,
        warmup_s=plan.warmup_s,
        trials_planned=run.blocks * len(arms),
    )
    trials = [(summary, checks) for _, summary, checks in results]
    primary = primary_metrics(definition)
    analysis = await asyncio.to_thread(analyse_run, arms, definition.baseline, trials, facts, primary=primary)
    wanted = [parse(text) for text in definition.thresholds]
    judged = await asyncio.to_thread(evaluate, wanted, analysis, [summary for summary, _ in trials])
    outcome = overall(judged)
    if RunState(run.state).final:
        kept = {"headline": analysis.headline, "trustworthy": analysis.trustworthy, "outcome": outcome}
        run.analysis = kept
        run.passed = {"pass": True, "fail": False}.get(outcome or "")
    return RunResults(analysis, judged, outcome, [(trial, summary) for trial, summary, _ in results], unreadable)


def _name_unreadable(trial: Trial, reason: str) -> None:
    """Once: in the log, and at a trial that is over where people look for what happened to it."""
    detail = f"Its data cannot be analysed: {reason}"
    if trial.code == UNREADABLE and trial.reason == detail:
        return
    log.exception("trial cannot be analysed", trial_id=str(trial.id))
    if TrialState(trial.state).final:
        trial.code, trial.reason = UNREADABLE, detail


def _short(error: Exception) -> str:
    """One line for people; the log has the rest."""
    if isinstance(error, Unreadable):
        return error.detail
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no reason given'}"[:300]


def primary_metrics(definition: Definition) -> Sequence[str]:
    """Those that the plan names, else those of the template; the analysis takes those of the load if there are none."""
    origin = template(definition.template.key) if definition.template is not None else None
    return definition.plan.primary or (origin.primary if origin is not None else ())


def analyse_later(session: AsyncSession, run_id: UUID) -> None:
    """Store a finished run's headline for lists of runs, after its end has been committed."""
    database = database_of(session)

    async def start() -> None:
        _in_background(_analyse(database, run_id))

    after_commit(session, start)


async def _analyse(database: Database, run_id: UUID) -> None:
    async with database.transaction() as session:
        run = await runs.lock_run(session, run_id)
        if run is not None:
            await analyse(session, run)
            await session.flush()
            await announce(session, run_id)
