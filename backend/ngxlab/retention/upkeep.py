"""What is looked after all the time: raw data to remove or to pack, imports that broke off, hosts' histories, copies of
ended links, the rule by age.
"""

import time
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import NOW, Queue, Round, job
from ngxlab.core.stored_json import Unreadable
from ngxlab.metrics import kept_series
from ngxlab.metrics.blocks.packing import pack_some
from ngxlab.metrics.blocks.readings import readings_by_host
from ngxlab.metrics.kept_series import DERIVED_BY
from ngxlab.metrics.models import StagedRun
from ngxlab.metrics.repository import remove_some
from ngxlab.metrics.service import keep_series
from ngxlab.metrics.staging import give_up
from ngxlab.retention import repository
from ngxlab.retention.host_history.service import delete_next
from ngxlab.retention.service import apply_next, measure_next
from ngxlab.runs import repository as runs
from ngxlab.runs.repository import anything_unfinished
from ngxlab.runs.telemetry import reporting_hosts
from ngxlab.shares.repository import drop_ended_copies

AFTER = timedelta(minutes=10)
"""Since the end of a run: until then, people look at it, and choose another window."""


async def pack_next(session: AsyncSession) -> bool:
    """One step of the run that has waited longest; whether there was any."""
    run_id = await repository.unpacked(session, utcnow() - AFTER)
    if run_id is None:
        return await _renew_series(session)
    trial_ids = await repository.trial_ids(session, run_id)
    if not await pack_some(session, trial_ids) and not await _keep_next_series(session, trial_ids):
        await repository.note_packed(session, run_id, utcnow())
    return True


async def _keep_next_series(session: AsyncSession, trial_ids: Sequence[UUID]) -> bool:
    made = await kept_series.made(session, trial_ids)
    for trial_id, host_id, readings in await readings_by_host(session, trial_ids):
        if readings >= kept_series.LONG and (trial_id, host_id) not in made:
            await _keep_series(session, trial_id, host_id)
            return True
    return False


async def _renew_series(session: AsyncSession) -> bool:
    """Derive those of one host in a trial again, where another version did."""
    outdated = await kept_series.outdated(session)
    if outdated is not None:
        await _keep_series(session, *outdated)
    return outdated is not None


async def _keep_series(session: AsyncSession, trial_id: UUID, host_id: UUID) -> None:
    trial = await runs.trial(session, trial_id)
    run = await runs.run(session, trial.run_id) if trial is not None else None
    try:
        hosts = reporting_hosts(run, trial) if run is not None and trial is not None else []
    except Unreadable:  # which whoever asks for its charts is told
        hosts = []
    for host in hosts:
        if host.host_id == host_id:
            return await keep_series(session, host)
    return await kept_series.keep(session, trial_id, host_id, None, None)


_EVERY_S = 12.0
_OLD_EVERY_S = 60.0
_AT_ONCE_S = 60.0
"""After which others of the queue have their turn."""


class Upkeep:
    """Each look does a little. While runs go on, looks are seldom: they share a machine with what is measured."""

    def __init__(self, database: Database, keep_raw_days: int | None) -> None:
        self._database = database
        self._keep_raw_days = keep_raw_days
        self._unreadable = set[UUID]()

    async def look(self) -> bool:
        """Whether there is more to do, and nothing that it would disturb."""
        async with self._database.transaction() as session:
            await give_up(session, StagedRun.until < utcnow())
            worked = await remove_some(session)
            await drop_ended_copies(session)
        async with self._database.transaction() as session:
            worked |= await pack_next(session)
        async with self._database.transaction() as session:
            worked |= await delete_next(session, self._unreadable)
        worked |= await measure_next(self._database)
        async with self._database.transaction() as session:
            worked |= await apply_next(session, self._keep_raw_days, self._unreadable)
            return worked and not await session.scalar(select(anything_unfinished()))


@job("storage", Queue.slow, limit_s=1800, is_round=True)
async def keep_up(task: Task) -> None:
    """Look until there is nothing more to do, or a run goes on."""
    settings, began = task.service.settings, time.monotonic()
    own: Upkeep = task.service.own.setdefault("storage", Upkeep(task.database, settings.keep_raw_days))
    while await own.look() and time.monotonic() - began < _AT_ONCE_S:
        continue


def round_of_storage(keep_raw_days: int | None) -> Round:
    """With a rule by age, it is looked for what is old enough, whether or not anything else is left."""
    left = repository.is_any_left(NOW, AFTER, DERIVED_BY)
    return Round(keep_up, question=left, least_s=_EVERY_S, period_s=_OLD_EVERY_S if keep_raw_days is not None else None)
