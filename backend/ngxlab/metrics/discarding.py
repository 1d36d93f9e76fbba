"""Remove the raw data of trials that nobody will read again: a bounded number of rows at a time.

A run of hours has millions of rows. Whoever gives them up only says so (:func:`discard`), in the transaction of the
act; :func:`remove_some` follows from the backend's upkeep, and other data is stored meanwhile.
"""

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from sqlalchemy import CursorResult, Select, delete, exists, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.metrics.models import (
    DerivedSeriesRow,
    DiscardedTrial,
    FrameBlockRow,
    FrameRow,
    IntervalBlockRow,
    LatencyIntervalRow,
    TrialEventRow,
)

ROWS_AT_ONCE = 2000
_TRIALS_AT_ONCE = 50
_ROWS_OF_A_BLOCK = 100
"""A block is kept in so many pieces, each of which is a row for PostgreSQL."""
_TABLES: dict[Any, int] = {
    FrameBlockRow: _ROWS_OF_A_BLOCK,
    IntervalBlockRow: _ROWS_OF_A_BLOCK,
    FrameRow: 1,
    LatencyIntervalRow: 1,
    TrialEventRow: 1,
}
"""The weight of a row of each table."""


async def discard(session: AsyncSession, trials: Select[UUID]) -> None:
    """Give up the raw data of the trials that ``trials`` selects, for good."""
    giving_up = insert(DiscardedTrial).from_select(["trial_id"], trials)
    await session.execute(giving_up.on_conflict_do_nothing())


async def are_discarded(session: AsyncSession, trial_ids: Sequence[UUID]) -> bool:
    """Whether raw data of one of these trials is still being removed."""
    waiting = exists().where(DiscardedTrial.trial_id.in_(trial_ids))
    return await session.scalar(select(waiting)) or False


async def remove_some(session: AsyncSession, rows: int = ROWS_AT_ONCE) -> bool:
    """Remove at most so many rows of the trials that have waited longest; whether any trial waited."""
    oldest = select(DiscardedTrial.trial_id).order_by(DiscardedTrial.discarded_at).limit(_TRIALS_AT_ONCE)
    trials = (await session.scalars(oldest.with_for_update(skip_locked=True))).all()
    if not trials:
        return False
    left = rows
    for table, weight in _TABLES.items():
        some = select(table.id).where(table.trial_id.in_(trials)).limit(max(1, left // weight))
        removed = await session.execute(delete(table).where(table.id.in_(some)))
        left -= weight * cast("CursorResult[Any]", removed).rowcount
        if left <= 0:
            return True
    await session.execute(delete(DerivedSeriesRow).where(DerivedSeriesRow.trial_id.in_(trials)))
    await session.execute(delete(DiscardedTrial).where(DiscardedTrial.trial_id.in_(trials)))
    return True
