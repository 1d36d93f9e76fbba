"""Read the raw telemetry of a trial: what is stored in rows, and what has been packed into blocks since."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any
from uuid import UUID

from ngxlab_contracts.telemetry import Artefact, Event, LatencyInterval, Layout
from sqlalchemy import Text, cast, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from ngxlab.analysis.records.readings import StoredFrame
from ngxlab.metrics.blocks.histograms import StoredInterval
from ngxlab.metrics.blocks.readings import (
    Span,
    frame_blocks,
    hosts_of_blocks,
    interval_blocks,
    intervals_of,
    stored_frames,
)
from ngxlab.metrics.damage import Damage
from ngxlab.metrics.models import (
    ArtefactRow,
    DerivedSeriesRow,
    FrameBlockRow,
    FrameRow,
    IntervalBlockRow,
    LatencyIntervalRow,
    LayoutRow,
    TrialEventRow,
)


async def layouts(session: AsyncSession, trial_id: UUID, host_id: UUID, damage: Damage) -> dict[int, Layout]:
    """A host's layouts in a trial, by id. Here and below, ``damage`` is told of what cannot be read."""
    row = LayoutRow
    query = select(row.id, row.collector, cast(row.series, Text)).where(
        row.trial_id == trial_id, row.host_id == host_id
    )
    read = (damage.stored_layout(*stored) for stored in await session.execute(query))
    return {layout.id: layout for layout in read if layout is not None}


async def layout_widths(session: AsyncSession, trial_id: UUID, host_id: UUID) -> dict[int, int]:
    """The number of columns of each layout that a host has declared."""
    query = select(LayoutRow.id, func.jsonb_array_length(LayoutRow.series)).where(
        LayoutRow.trial_id == trial_id, LayoutRow.host_id == host_id
    )
    return {row[0]: row[1] for row in await session.execute(query)}


async def frames(
    session: AsyncSession, trial_id: UUID, host_id: UUID, layouts: Mapping[int, Layout], damage: Damage
) -> list[tuple[int, StoredFrame]]:
    """A host's readings in order of time, each with its position in the run's live stream."""
    query = select(FrameRow.live_seq, FrameRow.layout, FrameRow.t_us, FrameRow.took_us, FrameRow.values).where(
        FrameRow.trial_id == trial_id, FrameRow.host_id == host_id
    )
    rows = (await session.execute(query.order_by(FrameRow.t_us, FrameRow.id))).all()
    blocks = await frame_blocks(session, trial_id, host_id)
    stored = [(row[0], StoredFrame(row[1], row[2], row[3], row[4])) for row in rows]
    if blocks:
        stored = await asyncio.to_thread(_with_blocks, stored, blocks, damage)
    read = ((seq, damage.frame(frame, layouts)) for seq, frame in stored)
    return [(seq, frame) for seq, frame in read if frame is not None]


def _with_blocks(
    rows: Sequence[tuple[int, StoredFrame]], blocks: Mapping[int, Sequence[bytes]], damage: Damage
) -> list[tuple[int, StoredFrame]]:
    found = {(frame.layout, frame.t_us): (seq, frame) for seq, frame in rows}
    for layout, contents in blocks.items():
        for readings in damage.readings(contents):
            for seq, frame in zip(readings.live_seq.tolist(), stored_frames(layout, readings), strict=True):
                found[layout, frame.t_us] = (seq, frame)
    return sorted(found.values(), key=lambda one: one[1].t_us)


_INTERVAL = tuple(getattr(LatencyIntervalRow, name) for name in StoredInterval._fields)


async def intervals(
    session: AsyncSession, trial_id: UUID, host_id: UUID, damage: Damage, span: Span | None = None
) -> list[tuple[int, LatencyInterval]]:
    """A host's latency intervals in order of time, each with its position in the run's live stream; only those in
    ``span``, if given."""
    table = LatencyIntervalRow
    query = select(*_INTERVAL).where(table.trial_id == trial_id, table.host_id == host_id)
    if span is not None:
        query = query.where(table.t0_us <= span[1], table.t1_us >= span[0])
    rows = [StoredInterval(*row) for row in await session.execute(query.order_by(table.t0_us, table.id))]
    blocks = await interval_blocks(session, trial_id, host_id, span)
    return await asyncio.to_thread(_read_intervals, rows, blocks, damage, span)


def _read_intervals(
    rows: Sequence[StoredInterval], blocks: Sequence[bytes], damage: Damage, span: Span | None
) -> list[tuple[int, LatencyInterval]]:
    stored = damage.all_intervals(rows, blocks)
    if span is not None:
        stored = [one for one in stored if one.t0_us <= span[1] and one.t1_us >= span[0]]
    read = ((one.live_seq, damage.interval(one)) for one in stored)
    return [(seq, interval) for seq, interval in read if interval is not None]


async def events(session: AsyncSession, trial_id: UUID, host_id: UUID, damage: Damage) -> list[tuple[int, Event]]:
    """A host's events in the order it reported them, without kept files."""
    query = (
        select(TrialEventRow.live_seq, TrialEventRow.event)
        .where(TrialEventRow.trial_id == trial_id, TrialEventRow.host_id == host_id)
        .order_by(TrialEventRow.id)
    )
    read = ((seq, damage.event(event)) for seq, event in await session.execute(query))
    return [(seq, event) for seq, event in read if event is not None]


async def artefacts(session: AsyncSession, trial_id: UUID, host_id: UUID | None = None) -> Sequence[Artefact]:
    """The kept files of a trial, by name."""
    query = select(ArtefactRow).where(ArtefactRow.trial_id == trial_id).order_by(ArtefactRow.name)
    if host_id is not None:
        query = query.where(ArtefactRow.host_id == host_id)
    rows = (await session.scalars(query)).all()
    return [Artefact(t_us=0, name=row.name, text=row.text, truncated=row.truncated) for row in rows]


async def last_live_seq(session: AsyncSession, trial_id: UUID) -> int:
    """The newest position of a trial's frames in the run's live stream; 0 if there are none.

    That of the last frame of each layout: to look at all frames takes longer the longer a trial is.
    """
    row, block, layout = FrameRow, FrameBlockRow, LayoutRow
    of_layout = select(row.live_seq).where(
        row.trial_id == layout.trial_id, row.host_id == layout.host_id, row.layout == layout.id
    )
    last = of_layout.order_by(row.t_us.desc()).limit(1).correlate(layout).scalar_subquery()
    of_rows = select(func.max(last)).where(layout.trial_id == trial_id).scalar_subquery()
    of_blocks = select(func.max(block.last_live_seq)).where(block.trial_id == trial_id).scalar_subquery()
    return await session.scalar(select(func.greatest(of_rows, of_blocks))) or 0


PAGE = 2000
"""Rows that a cursor on the server gives at a time."""


async def first_interval_us(session: AsyncSession, trial_ids: Sequence[UUID]) -> int | None:
    """The beginning of the earliest histogram of these trials."""
    row, block = LatencyIntervalRow, IntervalBlockRow
    of_rows = select(func.min(row.t0_us)).where(row.trial_id.in_(trial_ids)).scalar_subquery()
    of_blocks = select(func.min(block.first_us)).where(block.trial_id.in_(trial_ids)).scalar_subquery()
    return await session.scalar(select(func.least(of_rows, of_blocks)))


async def histogram_pages(session: AsyncSession, trial_id: UUID) -> AsyncIterator[list[StoredInterval]]:
    """The intervals of a trial, those with a histogram at least, in order of time. The session reads one snapshot."""
    hosts = [await interval_blocks(session, trial_id, host_id) for host_id in await hosts_of_blocks(session, trial_id)]
    packed = merge(*(intervals_of(contents) for contents in hosts), key=attrgetter("t0_us"))
    while page := await asyncio.to_thread(lambda: list(islice(packed, PAGE))):
        yield page
    table = LatencyIntervalRow
    query = select(*_INTERVAL).where(table.trial_id == trial_id, table.histogram.is_not(None))
    rows = await session.stream(query.order_by(table.t0_us, table.id), execution_options={"yield_per": PAGE})
    async for some in rows.partitions():
        yield [StoredInterval(*row) for row in some]


_ROW_BYTES = 180
"""A row takes this beside its one long value: header, ids, times, and its entries in two indexes."""
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
