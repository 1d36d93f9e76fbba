"""The backend's own watch: every second it looks for runs that nobody drives and trials that nobody executes.

PostgreSQL has the facts and messages are only hints, so whatever a lost message should have caused is caught up here.
"""

import asyncio
from datetime import datetime, timedelta

import structlog
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.runs import repository
from ngxlab.runs.announce import hint_coordinator
from ngxlab.runs.watch import lost_trials

log = structlog.get_logger()

_PERIOD_S = 1.0
_LATE = timedelta(seconds=5)
_HINT_EVERY = timedelta(seconds=3)
_ADVISORY_LOCK = 0x6E67786C  # "ngxl": one backend process works at a time


class Reconciler:
    """Runs inside each backend process; PostgreSQL's advisory lock lets one of them work at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._watching_since = utcnow()
        self._last_look = utcnow()

    async def run_for_ever(self) -> None:
        """Never ends by itself; it keeps trying while the database cannot be reached."""
        while True:
            try:
                await self.look()
            except (SQLAlchemyError, OSError) as error:
                log.warning("reconciler could not read the database", error=str(error))
            await asyncio.sleep(_PERIOD_S)

    async def look(self) -> None:
        """One round. A late round means that this process was not running and has received nothing meanwhile."""
        now = utcnow()
        if now - self._last_look > _LATE:
            self._watching_since = now
        async with self._database.transaction() as session:
            if await session.scalar(select(func.pg_try_advisory_xact_lock(_ADVISORY_LOCK))):
                await self._hint_coordinators(session, now)
                trials = [trial.id for trial in await repository.unfinished_trials(session)]
            else:
                trials = []
        for trial_id in trials:
            async with self._database.transaction() as session:
                if (trial := await repository.trial(session, trial_id)) is not None:
                    await lost_trials.sweep(session, trial, self._watching_since)
        self._last_look = utcnow()

    async def _hint_coordinators(self, session: AsyncSession, now: datetime) -> None:
        for run in await repository.undriven_runs(session, now - _HINT_EVERY):
            log.info("reminding a coordinator", run_id=str(run.id))
            hint_coordinator(session, run)
