"""Jobs that compute what trials and runs give, and how pages wait for them."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any
from uuid import UUID

from ngxlab_contracts.sentences import written
from sqlalchemy import ColumnElement, String, and_, cast, exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.schemas import CheckResult, TrialSummary
from ngxlab.analysis.verdict.looked_at import so_far
from ngxlab.core.errors import ApiError
from ngxlab.core.jobs import repository as jobs
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Queue, Round, job
from ngxlab.core.jobs.repository import Job, JobState
from ngxlab.core.jobs.waiting import PATIENCE_S, ended
from ngxlab.core.stored_json import Unreadable
from ngxlab.runs import repository as runs
from ngxlab.runs.judging import open_blocks
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.repository import announce
from ngxlab.runs.results.analysis import analyse, is_outdated
from ngxlab.runs.results.trial_results import TRIALS_AT_ONCE, Result, compute, keep, kept_results, short
from ngxlab.runs.states import RunState, TrialState

Results = Mapping[UUID, Result | Exception]


async def computed(session: AsyncSession, run: Run, trials: Sequence[Trial]) -> Results:
    """The results of trials, for a job: what is missing is computed, and kept where the trial is over."""
    found, missing = await kept_results(session, run, trials)
    found |= await compute(session, run, missing)
    for trial in missing:
        keep(trial, found[trial.id])
    return found


async def waited(session: AsyncSession, run: Run, trials: Sequence[Trial]) -> Results:
    """The results of trials, for a page: what is missing is asked for, and waited for without a connection.

    Commits what the session has done where it waits. Raises StillWorking.
    """
    found, missing = await kept_results(session, run, trials)
    if not missing:
        return found
    done = await ended(session, await _ask(session, run.id, missing))
    told = {key: value for one in done.values() for key, value in (one.result or {}).items()}
    await runs.trials(session, run.id)
    await runs.run(session, run.id)
    found, missing = await kept_results(session, run, trials)
    return found | {trial.id: _read(told.get(str(trial.id))) for trial in missing}


async def require_results(session: AsyncSession, run_ids: Sequence[UUID]) -> None:
    """As :func:`waited`, for whoever is about to change something, and must not wait in the middle of it."""
    for run_id in run_ids:
        if (run := await runs.run(session, run_id)) is not None:
            latest = {trial.position: trial for trial in await runs.trials(session, run_id) if trial.hosts}
            await waited(session, run, list(latest.values()))


async def settled(session: AsyncSession, run: Run) -> bool:
    """Whether all trials of a run that are over have their results; what is missing has been asked for otherwise."""
    latest = {trial.position: trial for trial in await runs.trials(session, run.id) if trial.hosts}
    _, missing = await kept_results(session, run, list(latest.values()))
    if missing := [one for one in missing if TrialState(one.state).final and one.code != Unreadable.code]:
        await _ask(session, run.id, missing)
    return not missing


async def kept(session: AsyncSession, run: Run, trials: Sequence[Trial]) -> Results:
    """The results of a run that is :func:`settled`."""
    found, missing = await kept_results(session, run, trials)
    return found | {trial.id: Unreadable(trial.reason or "It has no results yet.") for trial in missing}


def _read(told: Any) -> Result | Exception:
    if told is None or "error" in told:
        return Unreadable(told["error"] if told else "It has no results yet.")
    checks = [CheckResult.model_validate(check) for check in told["checks"]]
    return TrialSummary.model_validate(told["summary"]), checks


def _written(result: Result | Exception) -> dict[str, Any]:
    if isinstance(result, Exception):
        return {"error": short(result)}
    summary, checks = result
    return {"summary": summary.model_dump(mode="json"), "checks": [check.model_dump(mode="json") for check in checks]}


async def _ask(
    session: AsyncSession, run_id: UUID, trials: Sequence[Trial], queue: Queue = Queue.now
) -> Sequence[UUID]:
    """Some trials a job, so that several processes share many."""
    asked = []
    for begin in range(0, len(trials), TRIALS_AT_ONCE):
        ids = [str(trial.id) for trial in trials[begin : begin + TRIALS_AT_ONCE]]
        key = f"{run_id}:{sha256(' '.join(ids).encode()).hexdigest()[:16]}"
        asked.append(await results_of_trials.ask(session, key, queue=queue, run_id=str(run_id), trial_ids=ids))
    return asked


@job("trial-results", Queue.now, limit_s=300)
async def results_of_trials(task: Task, run_id: str, trial_ids: Sequence[str]) -> None:
    """Summaries and checks of trials; whoever waits is told what is not kept with them."""
    async with task.database.transaction() as session:
        run = await runs.run(session, UUID(run_id))
        if run is None:
            return
        trials = await runs.some_trials(session, run.id, [UUID(trial_id) for trial_id in trial_ids])
        missing = (await kept_results(session, run, trials)).missing
        over = {trial.id for trial in missing if TrialState(trial.state).final}
        found = await compute(session, run, missing)
    unkept = {i: one for i, one in found.items() if i not in over or isinstance(one, Exception)}
    task.result = {str(i): await asyncio.to_thread(_written, one) for i, one in unkept.items()}
    async with task.closing() as session:
        if (run := await runs.lock_run(session, UUID(run_id))) is None:
            return
        for trial in await runs.some_trials(session, run.id, over):
            keep(trial, found[trial.id])
        await session.flush()
        if over:
            await announce(session, run.id)
        await _judge_next(session, run, over, task.job_id)


async def _judge_next(session: AsyncSession, run: Run, over: set[UUID], own: UUID) -> None:
    """Ask for the verdict of a run that is over, once all of its trials are computed; for the verdict so far of one
    that goes on, whenever a block is complete: looks see complete blocks only."""
    if RunState(run.state).final:
        if not set(await jobs.open_of(session, results_of_trials.name, f"{run.id}:")) - {own}:
            await verdict_of_run.ask(session, str(run.id), run_id=str(run.id))
        return
    latest = {trial.position: trial for trial in await runs.trials_without_hosts(session, run.id)}
    counting = (trial for trial in latest.values() if trial.heat is None and not trial.is_profile)
    blocks = {trial.block for trial in counting if trial.id in over}
    if blocks - set(open_blocks(run, list(latest.values()))):
        await verdict_so_far.ask(session, str(run.id), run_id=str(run.id))


@job("run-verdict", Queue.analysis, limit_s=600)
async def verdict_of_run(task: Task, run_id: str) -> None:
    """What a finished run's trials give, for lists, trends and schedules."""
    async with task.closing() as session:
        run = await runs.lock_run(session, UUID(run_id))
        if run is not None and RunState(run.state).final:
            await analyse(session, run, computed)
            await session.flush()
            await announce(session, run.id)


_ANEW_EVERY_S = 12.0
_ANEW_AT_ONCE = 20


def _to_judge_anew() -> ColumnElement[bool]:
    """Runs that an earlier version of the method has judged. What has failed is tried again after a day."""
    own = (Job.kind == verdict_of_run.name, Job.key == cast(Run.id, String), Job.state != JobState.done)
    return and_(is_outdated(), ~exists().where(*own))


@job("outdated-verdicts", Queue.slow, limit_s=60, is_round=True)
async def judge_outdated(task: Task) -> None:
    """After an upgrade: have runs judged by the new version of the method, few while anything is measured."""
    async with task.database.transaction() as session:
        at_once = 1 if await session.scalar(select(runs.anything_unfinished())) else _ANEW_AT_ONCE
        found = select(Run.id).where(_to_judge_anew()).order_by(Run.created_at.desc()).limit(at_once)
        for run_id in (await session.scalars(found)).all():
            await verdict_of_run.ask(session, str(run_id), queue=Queue.slow, run_id=str(run_id))


def round_of_verdicts() -> Round:
    return Round(judge_outdated, question=exists().where(_to_judge_anew()), least_s=_ANEW_EVERY_S)


@job("verdict-so-far", Queue.analysis, limit_s=600)
async def verdict_so_far(task: Task, run_id: str) -> None:
    """The verdict of a run that goes on."""
    async with task.database.transaction() as session:
        run = await runs.run(session, UUID(run_id))
        if run is None or RunState(run.state).final:
            return
        results = await analyse(session, run, computed)
        verdict = so_far(results.analysis, results.looks)
    async with task.closing() as session:
        run = await runs.lock_run(session, UUID(run_id))
        if run is not None and not RunState(run.state).final:
            run.analysis = {"so_far": written(verdict)}
            await session.flush()
            await announce(session, run.id)


async def summarise_later(session: AsyncSession, trial: Trial) -> None:
    """Have a trial that has just ended summarised."""
    await _ask(session, trial.run_id, [trial], Queue.analysis)


async def judge_later(session: AsyncSession, run_id: UUID) -> None:
    """Have a run that is over judged; if trials of it are still computed, that follows them by itself."""
    if not await jobs.open_of(session, results_of_trials.name, f"{run_id}:"):
        await verdict_of_run.ask(session, str(run_id), run_id=str(run_id))


async def judge_anew(session: AsyncSession, run: Run) -> None:
    """Have everything computed that is missing since another window holds, and the run judged by it."""
    if await settled(session, run):
        await verdict_of_run.ask(session, str(run.id), queue=Queue.now, run_id=str(run.id))


async def verdict_waited(session: AsyncSession, run_id: UUID) -> None:
    """Wait a while for what is being computed of a run. Whoever reads the run waits for the rest."""
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    with suppress(ApiError):
        while asked := [
            *await jobs.open_of(session, results_of_trials.name, f"{run_id}:"),
            *await jobs.open_of(session, verdict_of_run.name, str(run_id)),
        ]:
            await ended(session, asked, deadline - asyncio.get_running_loop().time())


async def failed_verdicts(session: AsyncSession, run_ids: Sequence[UUID]) -> set[UUID]:
    """The runs that could not be judged lately."""
    return {UUID(key) for key in await jobs.failed_keys(session, verdict_of_run.name, [str(one) for one in run_ids])}
