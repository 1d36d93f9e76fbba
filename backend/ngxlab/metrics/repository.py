"""Read the raw telemetry of a trial: what is stored in rows, and what has been packed into blocks since.

A run of hours has millions of rows. Whoever gives them up only says so (:func:`discard`), in the transaction of the
act; :func:`remove_some` follows from the backend's upkeep, and other data is stored meanwhile.
"""

import asyncio
import typing
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
from ngxlab_contracts.profiles import Phases, Profile
from ngxlab_contracts.telemetry import Artefact, Event, LatencyInterval, Layout
from sqlalchemy import CursorResult, Select, Text, and_, cast, delete, exists, func, inspect, or_, select, text, tuple_
from sqlalchemy.dialects.postgresql import distinct_on, insert
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
    DiscardedTrial,
    FrameBlockRow,
    FrameRow,
    IntervalBlockRow,
    LatencyIntervalRow,
    LayoutRow,
    TrialEventRow,
)
from ngxlab.metrics.packed_frames import PackedFrames


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


_KIND = TrialEventRow.event["kind"].as_string()
_IS_NO_PROFILE = _KIND.is_distinct_from("profile")
_Told = TypeVar("_Told", Profile, Phases)
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
    """A host's events in the order it reported them, without kept files and profiles."""
    query = (
        select(TrialEventRow.live_seq, TrialEventRow.event)
        .where(TrialEventRow.trial_id == trial_id, TrialEventRow.host_id == host_id, _IS_NO_PROFILE)
        .order_by(TrialEventRow.id)
    )
    read = ((seq, damage.event(event)) for seq, event in await session.execute(query))
    return [(seq, event) for seq, event in read if event is not None]


async def profiles(session: AsyncSession, trial_ids: Sequence[UUID], damage: Damage) -> dict[UUID, Profile]:
    """The newest profile of each of these trials, of which some may have none."""
    return await _newest(session, trial_ids, damage, Profile)


async def phases(session: AsyncSession, trial_ids: Sequence[UUID], damage: Damage) -> dict[UUID, Phases]:
    """The newest phases of each of these trials, of which some may have none."""
    return await _newest(session, trial_ids, damage, Phases)


async def _newest(
    session: AsyncSession, trial_ids: Sequence[UUID], damage: Damage, of: type[_Told]
) -> dict[UUID, _Told]:
    row, kind = TrialEventRow, of.model_fields["kind"].default
    query = select(row.trial_id, row.event).ext(distinct_on(row.trial_id)).order_by(row.trial_id, row.id.desc())
    found = await session.execute(query.where(row.trial_id.in_(trial_ids), kind == _KIND))
    stored = [(trial_id, event) for trial_id, event in found]
    read = await asyncio.to_thread(lambda: [(trial_id, damage.event(event)) for trial_id, event in stored])
    return {trial_id: event for trial_id, event in read if isinstance(event, of)}


async def bounds(session: AsyncSession, trial_id: UUID) -> Counter[tuple[UUID, str]]:
    """For each host of a trial: the phases that it has reported, and as ``whole`` how many of its generators have ended
    as they should."""
    event = TrialEventRow.event
    kind, phase, code = event["kind"].as_string(), event["phase"].as_string(), event["exit_code"].as_integer()
    query = select(TrialEventRow.host_id, func.coalesce(phase, "whole")).where(
        TrialEventRow.trial_id == trial_id, or_(kind == "phase", and_(kind == "stream_result", code == 0))
    )
    return Counter((host_id, what) for host_id, what in await session.execute(query))


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


Key = tuple[UUID, UUID]
"""Trial and host."""

_FRAMES = text("""
    SELECT trial_id, host_id, layout, string_agg(int8send(t_us), ''::bytea), string_agg(array_send(values), ''::bytea)
    FROM frame WHERE trial_id = ANY(:trials) GROUP BY trial_id, host_id, layout ORDER BY layout
""")
"""Not in order of time: both aggregates see the rows in one order, and numpy sorts in a tenth of the time."""
_BLOCKS = text("""
    SELECT trial_id, host_id, layout, array_agg(content ORDER BY first_us) FROM frame_block
    WHERE trial_id = ANY(:trials) GROUP BY trial_id, host_id, layout ORDER BY layout
""")


@dataclass(frozen=True)
class RawData:
    """Raw data by trial and host, as stored and unchecked. A layout has its id, its collector, its series as JSON."""

    layouts: defaultdict[Key, list[tuple[int, str, str]]] = field(default_factory=lambda: defaultdict(list))
    frames: defaultdict[Key, list[PackedFrames]] = field(default_factory=lambda: defaultdict(list))
    intervals: defaultdict[Key, list[StoredInterval]] = field(default_factory=lambda: defaultdict(list))
    interval_blocks: defaultdict[Key, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    events: defaultdict[Key, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    artefacts: defaultdict[Key, list[Artefact]] = field(default_factory=lambda: defaultdict(list))

    def of(self, trial_id: UUID) -> "RawData":
        """The raw data of one trial."""
        one = RawData()
        for kind in fields(self):
            whole, own = getattr(self, kind.name), getattr(one, kind.name)
            own.update((key, rows) for key, rows in whole.items() if key[0] == trial_id)
        return one


async def raw_data(session: AsyncSession, trial_ids: Sequence[UUID]) -> RawData:
    """Frames in any order, intervals in order of time, events in the order in which the host reported them, without
    profiles."""
    data = RawData()
    layout, interval, event, kept = LayoutRow, LatencyIntervalRow, TrialEventRow, ArtefactRow
    await _read_frames(session, trial_ids, data)
    series = cast(layout.series, Text)
    of_layouts = select(layout.trial_id, layout.host_id, layout.id, layout.collector, series).order_by(layout.id)
    for trial, host, number, collector, stored in await _rows(session, of_layouts, layout.trial_id, trial_ids):
        data.layouts[trial, host].append((number, collector, stored))
    columns = (getattr(interval, name) for name in StoredInterval._fields)
    of_intervals = select(interval.trial_id, interval.host_id, *columns).order_by(interval.t0_us, interval.id)
    for trial, host, *row in await _rows(session, of_intervals, interval.trial_id, trial_ids):
        data.intervals[trial, host].append(StoredInterval(*row))
    block = IntervalBlockRow
    of_blocks = select(block.trial_id, block.host_id, block.content).order_by(block.first_us, block.id)
    for trial, host, content in await _rows(session, of_blocks, block.trial_id, trial_ids):
        data.interval_blocks[trial, host].append(content)
    of_events = select(event.trial_id, event.host_id, event.event).where(_IS_NO_PROFILE).order_by(event.id)
    for trial, host, stored in await _rows(session, of_events, event.trial_id, trial_ids):
        data.events[trial, host].append(stored)
    of_files = select(kept.trial_id, kept.host_id, kept.name, kept.text, kept.truncated).order_by(kept.name)
    for trial, host, name, content, truncated in await _rows(session, of_files, kept.trial_id, trial_ids):
        data.artefacts[trial, host].append(Artefact(t_us=0, name=name, text=content, truncated=truncated))
    return data


async def _read_frames(session: AsyncSession, trial_ids: Sequence[UUID], data: RawData) -> None:
    rows = (await session.execute(_FRAMES, {"trials": list(trial_ids)})).all()
    # After the rows: what becomes a block meanwhile is found twice rather than never.
    found = (await session.execute(_BLOCKS, {"trials": list(trial_ids)})).all()
    blocks = {(trial, host, number): tuple(contents) for trial, host, number, contents in found}
    for trial, host, number, t_us, values in rows:
        times = np.frombuffer(t_us, ">i8").astype(np.int64)
        packed = PackedFrames(number, times, values, blocks.pop((trial, host, number), ()))
        data.frames[trial, host].append(packed)
    for (trial, host, number), contents in blocks.items():
        data.frames[trial, host].append(PackedFrames(number, np.zeros(0, np.int64), b"", contents))


async def _rows(session: AsyncSession, query: Any, of: Any, trial_ids: Sequence[UUID]) -> Any:
    return await session.execute(query.where(of.in_(trial_ids)))


ROWS_AT_ONCE = 2000
_TRIALS_AT_ONCE = 50
_ROWS_OF_A_BLOCK = 100
"""A block is kept in so many pieces, each of which is a row for PostgreSQL."""
_ROWS_OF_A_FILE = 10
_DISCARDED_TABLES: dict[Any, int] = {
    FrameBlockRow: _ROWS_OF_A_BLOCK,
    IntervalBlockRow: _ROWS_OF_A_BLOCK,
    FrameRow: 1,
    LatencyIntervalRow: 1,
    TrialEventRow: 1,
    LayoutRow: 1,
    ArtefactRow: _ROWS_OF_A_FILE,
}
"""The weight of a row of each table."""
_OF_TRIALS = (LayoutRow, ArtefactRow)
"""They stay as long as their trial does: pages show kept files without raw data."""
_THERE = text("SELECT id FROM trial WHERE id = ANY(:trials)")


async def discard(session: AsyncSession, trials: Select[UUID]) -> None:
    """Give up the raw data of the trials that ``trials`` selects, for good.

    Where they were given up before, it waits for :func:`remove_some`, which may have found their run still there.
    """
    in_order = trials.order_by(text("1"))  # two who give up the same wait for each other, in one direction
    giving_up = insert(DiscardedTrial).from_select(["trial_id"], in_order)
    unchanged = {"discarded_at": DiscardedTrial.discarded_at}
    await session.execute(giving_up.on_conflict_do_update(index_elements=["trial_id"], set_=unchanged))


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
    there = set((await session.scalars(_THERE, {"trials": list(trials)})).all())
    left = rows
    for table, weight in _DISCARDED_TABLES.items():
        own = [trial for trial in trials if trial not in there] if table in _OF_TRIALS else trials
        key = inspect(table).primary_key
        some = select(*key).where(table.trial_id.in_(own)).limit(max(1, left // weight))
        removed = await session.execute(delete(table).where(tuple_(*key).in_(some)))
        left -= weight * typing.cast("CursorResult[Any]", removed).rowcount
        if left <= 0:
            return True
    await session.execute(delete(DerivedSeriesRow).where(DerivedSeriesRow.trial_id.in_(trials)))
    await session.execute(delete(DiscardedTrial).where(DiscardedTrial.trial_id.in_(trials)))
    return True
