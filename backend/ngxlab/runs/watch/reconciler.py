"""The backend's own watch: it looks every second for runs that nobody drives, and now and then for lost trials; less
often while no run waits and all that are measured go on.

PostgreSQL has the facts and messages are only hints, so whatever a lost message should have caused is caught up here.
"""

import math
import time
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import structlog
from ngxlab_contracts.queues import COORDINATOR_QUEUE
from sqlalchemy import func, select

from ngxlab.core.database import Database
from ngxlab.core.loops.asking import NOW, Asker
from ngxlab.runs import repository
from ngxlab.runs.queue import waiting
from ngxlab.runs.repository import ToDo
from ngxlab.runs.watch import lost_trials
from ngxlab.runs.watch.attendance import Attendance
from ngxlab.runs.watch.lost_trials import Reach

log = structlog.get_logger()

BUSY_S = 1.0
PERIOD_S = 4.0
"""At the same instants as heartbeats of agents at rest and pulses of coordinators on this machine; shorter than the
pause after which the backend no longer counts as present: ``attendance``."""
TRIALS_EVERY_S = 5.0
"""Trials are given up after a minute or more, and looking after one costs more than all queued runs."""
_QUIET = timedelta(seconds=30)
_LIVELY_TRIALS_EVERY_S = 60.0
"""Where all hosts of all trials send their batches: nobody sends for ever, but for longer than this."""
_ADVISORY_LOCK = 0x6E67786C  # "ngxl": one backend process works at a time


class Reconciler:
    """Runs inside each backend process; PostgreSQL's advisory lock lets one of them work at a time. What it
    asks all the time, its :attr:`asker` may ask for others too.
    """

    def __init__(self, database: Database, attendance: Attendance) -> None:
        self._database = database
        self._attendance = attendance
        self._broker = Attendance()
        self.asker = Asker(database, repository.to_do(NOW - _QUIET))
        self._trials_at = -math.inf

    async def look(self, trials_every_s: float = 0.0) -> bool:
        """One round; trials are looked after if the last time was ``trials_every_s`` ago. Whether to look again soon.

        An error in the matter of one trial is logged, and the others are looked after.
        """
        runs, trials_go_on, quiet = ToDo(*await self.asker.ask())
        every_s = trials_every_s if quiet else _LIVELY_TRIALS_EVERY_S
        with_trials = trials_go_on and time.monotonic() - self._trials_at >= every_s
        trials = await self._look_at_runs(with_trials=with_trials) if runs or with_trials else []
        self._note()
        for trial_id in trials:
            try:
                await self._sweep(trial_id)
            except Exception:
                log.exception("trial could not be looked after", trial_id=str(trial_id))
        return runs or quiet

    async def _look_at_runs(self, *, with_trials: bool) -> Sequence[UUID]:
        """Hint at runs that could go on, and return the trials to look after."""
        async with self._database.transaction() as session:
            if not await session.scalar(select(func.pg_try_advisory_xact_lock(_ADVISORY_LOCK))):
                return []
            await waiting.hint(session, taken=await self._database.bus.is_taken(COORDINATOR_QUEUE))
            if not with_trials:
                return []
            self._trials_at = time.monotonic()
            return await repository.ids_of_unfinished_trials(session)

    async def _sweep(self, trial_id: UUID) -> None:
        async with self._database.transaction() as session:
            if (trial := await repository.trial(session, trial_id)) is not None:
                await lost_trials.sweep(session, trial, Reach(self._attendance.since, self._broker.since))
        self._note()

    def _note(self) -> None:
        """The database has just answered. Redis answers for as long as the subscription to it lasts."""
        self._attendance.note()
        if self._database.bus.subscribed.is_set():
            self._broker.note()
