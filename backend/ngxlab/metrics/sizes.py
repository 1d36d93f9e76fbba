"""What raw data takes in the database."""

from typing import Any
from uuid import UUID

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from ngxlab.metrics.models import (
    DerivedSeriesRow,
    FrameBlockRow,
    FrameRow,
    IntervalBlockRow,
    LatencyIntervalRow,
    TrialEventRow,
)

_ROW_BYTES = 180
"""Of a row beside its one long value: header, ids, times, and its entries in two indexes."""
_LONG_VALUES: tuple[InstrumentedAttribute[Any], ...] = (
    FrameBlockRow.content,
    IntervalBlockRow.content,
    DerivedSeriesRow.content,
    FrameRow.values,
    LatencyIntervalRow.histogram,
    TrialEventRow.event,
)
_TABLES = text("SELECT sum(pg_total_relation_size(name::regclass))::bigint FROM unnest(:names ::text[]) AS name")


async def bytes_of_trial(session: AsyncSession, trial_id: UUID) -> int:
    """Readings, histograms, events and kept charts as they are stored, with their indexes. Reads all of the rows."""
    total = 0
    for value in _LONG_VALUES:
        size = func.count() * _ROW_BYTES + func.coalesce(func.sum(func.pg_column_size(value)), 0)
        query = select(size).where(value.class_.trial_id == trial_id)
        total += await session.scalar(query) or 0
    return total


async def bytes_of_tables(session: AsyncSession) -> int:
    """The tables of raw data of all runs with their indexes, also the space that PostgreSQL has yet to fill again."""
    return await session.scalar(_TABLES, {"names": [value.class_.__tablename__ for value in _LONG_VALUES]}) or 0


async def bytes_of_database(session: AsyncSession) -> int:
    return await session.scalar(select(func.pg_database_size(func.current_database()))) or 0
