"""What is looked after all the time: raw data to remove or to pack, hosts' histories, copies of ended
links, the rule by age.
"""

import time
from uuid import UUID

from sqlalchemy import select

from ngxlab.core.database import Database
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Queue, job
from ngxlab.core.jobs.rounds import NOW, Round
from ngxlab.metrics.discarding import remove_some
from ngxlab.metrics.kept_series import DERIVED_BY
from ngxlab.retention import repository
from ngxlab.retention.host_history.service import delete_next
from ngxlab.retention.packing import AFTER, pack_next
from ngxlab.retention.rule import apply_next
from ngxlab.retention.storage import measure_next
from ngxlab.runs.repository import anything_unfinished
from ngxlab.shares.repository import drop_ended_copies

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
    left = repository.is_any_left(NOW - AFTER, DERIVED_BY)
    return Round(keep_up, question=left, least_s=_EVERY_S, period_s=_OLD_EVERY_S if keep_raw_days is not None else None)
