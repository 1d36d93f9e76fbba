"""What is looked after all the time: raw data to remove or to pack, hosts' histories, copies of ended
links, the rule by age.
"""

from uuid import UUID

from sqlalchemy import select

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.metrics.discarding import remove_some
from ngxlab.metrics.kept_series import DERIVED_BY
from ngxlab.retention import repository
from ngxlab.retention.host_history.deleting import delete_next
from ngxlab.retention.packing import AFTER, pack_next
from ngxlab.retention.rule import apply_next
from ngxlab.retention.storage import measure_next
from ngxlab.runs.repository import anything_unfinished
from ngxlab.shares.repository import drop_ended_copies

PERIOD_S = 12.0


class Upkeep:
    """Each look does a little. While runs go on, looks are seldom: they share a machine with what is measured."""

    def __init__(self, database: Database, keep_raw_days: int | None) -> None:
        self._database = database
        self._keep_raw_days = keep_raw_days
        self._unreadable = set[UUID]()

    async def look(self) -> bool:
        """Whether there is more to do, and nothing that it would disturb."""
        if self._keep_raw_days is None and not await self._is_any_left():
            return False
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

    async def _is_any_left(self) -> bool:
        return await repository.is_any_left(self._database, utcnow() - AFTER, DERIVED_BY)
