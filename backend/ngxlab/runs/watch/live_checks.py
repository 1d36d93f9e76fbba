"""Check a trial while it is measured: now and then, so that it costs little, and never in an agent's request.

The results are kept with the trial until those of the whole trial replace them.
"""

import asyncio
import time
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from ngxlab.analysis.checks import check_so_far
from ngxlab.analysis.schemas import CheckResult
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.core.jobs import repository as jobs
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Queue, job
from ngxlab.metrics.repository import RawData, raw_data
from ngxlab.metrics.service import ReportingHost
from ngxlab.runs import repository as runs
from ngxlab.runs.models import Trial
from ngxlab.runs.repository import announce
from ngxlab.runs.states import TrialState
from ngxlab.runs.telemetry import TrialFacts, reporting_hosts, trial_record

_EVERY_S = 5.0
_UNWATCHED_EVERY_S = 20.0
"""While nobody looks at the run; whoever does has the next batch checked. The first check is late, too: it shares the
machine with what is measured."""
_FIRST_UNWATCHED_S = 30.0
_COST, _COST_UNWATCHED = 0.05, 0.001
"""The most of one core: a long trial is read less often, since each time all of it is read."""


class _Asked(NamedTuple):
    """When this process has asked for a check last, and for how long it does not ask where nobody looks."""

    at: float
    unwatched_s: float


_asked: dict[UUID, _Asked] = {}
"""What was asked of trials under way."""


async def check_while_measured(database: Database, run_id: UUID, trial_id: UUID, state: str) -> None:
    """Call it after each batch of a trial; it asks for a check, if it is time to."""
    if state != TrialState.measuring:
        _asked.pop(trial_id, None)
        return
    watched = database.bus.is_watched(run_id)
    if _is_due(trial_id, watched=watched):
        await _ask(database, trial_id, watched=watched)


def _is_due(trial_id: UUID, *, watched: bool) -> bool:
    now, last = time.monotonic(), _asked.get(trial_id)
    if last is None and not watched:
        _asked[trial_id] = _Asked(now, _FIRST_UNWATCHED_S)
        return False
    if last is not None:
        first = last.unwatched_s == _FIRST_UNWATCHED_S
        if now - last.at < (_EVERY_S if watched and not first else 0.0 if watched else last.unwatched_s):
            return False
    _asked[trial_id] = _Asked(now, _UNWATCHED_EVERY_S)
    return True


async def _ask(database: Database, trial_id: UUID, *, watched: bool) -> None:
    async with database.transaction() as session:
        await trial_check.ask(session, str(trial_id), trial_id=str(trial_id), watched=watched)


@job("trial-check", Queue.analysis, limit_s=60)
async def trial_check(task: Task, trial_id: str, *, watched: bool) -> None:
    """Check what a trial has measured so far, unless the last check took too long for that."""
    async with task.database.transaction() as session:
        last = await jobs.latest_done(session, trial_check.name, trial_id)
        trial = await runs.trial(session, UUID(trial_id))
        run = await runs.run(session, trial.run_id) if trial else None
        if trial is None or run is None or trial.state != TrialState.measuring:
            return
        if last is not None and last.ended_at is not None and last.started_at is not None:
            pause = max(timedelta(0), last.ended_at - last.started_at) / (_COST if watched else _COST_UNWATCHED)
            if utcnow() - last.ended_at < min(pause, timedelta(minutes=10)) - timedelta(seconds=_EVERY_S):
                return
        hosts, data = reporting_hosts(run, trial), await raw_data(session, [trial.id])
    results = await asyncio.to_thread(_judge, trial, hosts, data)
    kept = [result.model_dump(mode="json") for result in results] if results is not None else None
    async with task.closing() as session:
        await runs.lock_run(session, run.id)
        trial = await runs.trial(session, UUID(trial_id))
        if (
            kept is not None
            and trial is not None
            and not TrialState(trial.state).final
            and (trial.checks or []) != kept
        ):
            trial.checks = kept
            await session.flush()
            await announce(session, run.id)


def _judge(trial: Trial, hosts: list[ReportingHost], data: RawData) -> list[CheckResult] | None:
    return check_so_far(trial_record(TrialFacts.of(trial), hosts, data))
