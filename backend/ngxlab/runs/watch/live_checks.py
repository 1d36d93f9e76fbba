"""Check a trial while it is measured: now and then, so that it costs little, and never in an agent's request.

The results are kept with the trial until those of the whole trial replace them.
"""

import asyncio
import math
import time
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.checks.so_far import check_so_far
from ngxlab.analysis.schemas import CheckResult
from ngxlab.core.database import Database, after_commit, database_of
from ngxlab.metrics.raw_data import RawData, raw_data
from ngxlab.metrics.service import ReportingHost
from ngxlab.runs import repository as runs
from ngxlab.runs.announce import announce
from ngxlab.runs.models import Trial
from ngxlab.runs.results.analysis_jobs import in_background
from ngxlab.runs.states import TrialState
from ngxlab.runs.telemetry import TrialFacts, reporting_hosts, trial_record

_EVERY_S = 5.0
_TOO_EARLY_S = 1.0
_COST = 0.05
"""Of one core, at most: a long trial is read less often, since each time all of it is read."""

_next_at: dict[UUID, float] = {}
"""Trials under way -> when this process may check them again; infinity while it does."""


def check_while_measured(session: AsyncSession, trial: Trial) -> None:
    """Call it with each batch of a trial; it checks after the commit, if it is time to."""
    if trial.state != TrialState.measuring:
        _next_at.pop(trial.id, None)
    elif time.monotonic() >= _next_at.get(trial.id, 0.0):
        database, trial_id = database_of(session), trial.id

        async def start() -> None:
            _next_at[trial_id] = math.inf
            in_background(_check(database, trial_id))

        after_commit(session, start)


async def _check(database: Database, trial_id: UUID) -> None:
    began_s, pause_s = time.monotonic(), _EVERY_S
    try:
        pause_s = _EVERY_S if await _check_now(database, trial_id) else _TOO_EARLY_S
    finally:
        if trial_id in _next_at:
            took_s = time.monotonic() - began_s
            _next_at[trial_id] = time.monotonic() + max(pause_s, took_s / _COST)


async def _check_now(database: Database, trial_id: UUID) -> bool:
    """Whether enough of the window has been measured to tell."""
    async with database.transaction() as session:
        trial = await runs.trial(session, trial_id)
        run = await runs.run(session, trial.run_id) if trial else None
        if trial is None or run is None or trial.state != TrialState.measuring:
            return False
        hosts, data = reporting_hosts(run, trial), await raw_data(session, [trial.id])
    results = await asyncio.to_thread(_judge, trial, hosts, data)
    if results is None:
        return False
    kept = [result.model_dump(mode="json") for result in results]
    async with database.transaction() as session:
        await runs.lock_run(session, run.id)
        trial = await runs.trial(session, trial_id)
        if trial is not None and not TrialState(trial.state).final and (trial.checks or []) != kept:
            trial.checks = kept
            await session.flush()
            await announce(session, run.id)
    return True


def _judge(trial: Trial, hosts: list[ReportingHost], data: RawData) -> list[CheckResult] | None:
    return check_so_far(trial_record(TrialFacts.of(trial), hosts, data))
