"""Read the raw telemetry of a trial."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from uuid import UUID

from ngxlab_contracts.telemetry import Artefact, Event, LatencyInterval, Layout
from sqlalchemy import BigInteger, ColumnElement, Select, func, literal, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.records.readings import StoredFrame
from ngxlab.metrics.damage import LATEST_US, Damage
from ngxlab.metrics.models import ArtefactRow, FrameRow, LatencyIntervalRow, LayoutRow, TrialEventRow


async def layouts(session: AsyncSession, trial_id: UUID, host_id: UUID, damage: Damage) -> dict[int, Layout]:
    """A host's layouts in a trial, by id. Here and below, ``damage`` is told of what cannot be read."""
    query = select(LayoutRow).where(LayoutRow.trial_id == trial_id, LayoutRow.host_id == host_id)
    rows = (await session.scalars(query)).all()
    read = (damage.layout({"id": row.id, "collector": row.collector, "series": row.series}) for row in rows)
    return {layout.id: layout for layout in read if layout is not None}


async def layout_widths(
    session: AsyncSession, trial_id: UUID, host_id: UUID, layout_ids: Collection[int]
) -> dict[int, int]:
    """The number of columns of those of a host's layouts that are declared already."""
    query = select(LayoutRow.id, func.jsonb_array_length(LayoutRow.series)).where(
        LayoutRow.trial_id == trial_id, LayoutRow.host_id == host_id, LayoutRow.id.in_(layout_ids)
    )
    return {row[0]: row[1] for row in await session.execute(query)}


async def frames(
    session: AsyncSession, trial_id: UUID, host_id: UUID, layouts: Mapping[int, Layout], damage: Damage
) -> list[tuple[int, StoredFrame]]:
    """A host's readings in order of time, each with its position in the run's live stream."""
    query = (
        select(FrameRow.live_seq, FrameRow.layout, FrameRow.t_us, FrameRow.took_us, FrameRow.values)
        .where(FrameRow.trial_id == trial_id, FrameRow.host_id == host_id)
        .order_by(FrameRow.t_us, FrameRow.id)
    )
    rows = await session.execute(query)
    read = ((row[0], damage.frame(StoredFrame(row[1], row[2], row[3], row[4]), layouts)) for row in rows)
    return [(seq, frame) for seq, frame in read if frame is not None]


async def sparse_frames(
    session: AsyncSession,
    trial_id: UUID,
    host_id: UUID,
    layout_ids: Collection[int],
    *,
    readings: int,
    interval_us: int,
) -> tuple[list[StoredFrame], int]:
    """About ``readings`` readings of each layout, evenly spaced over the trial, and the microseconds between them.

    Counters are cumulative, so the rate between two readings is exact however many were skipped between them; gauges
    are sampled. Each stride costs one step in the index, so the cost does not depend on the trial's length. A layout
    whose own interval, ``interval_us``, is not shorter than the stride is returned completely.
    """
    stored: list[StoredFrame] = []
    longest_stride_us = 0
    for layout in layout_ids:
        of_layout = (
            FrameRow.trial_id == trial_id,
            FrameRow.host_id == host_id,
            FrameRow.layout == layout,
            FrameRow.t_us.between(-LATEST_US, LATEST_US),
        )
        ends = select(func.min(FrameRow.t_us), func.max(FrameRow.t_us)).where(*of_layout)
        first_us, last_us = (await session.execute(ends)).one()
        if first_us is None:
            continue
        stride_us = (last_us - first_us) // readings
        if stride_us <= interval_us:
            query = select(*_FRAME).where(*of_layout).order_by(FrameRow.t_us)
        else:
            query = _one_a_stride(of_layout, first_us, last_us, stride_us)
            longest_stride_us = max(longest_stride_us, stride_us)
        stored += [StoredFrame(*row) for row in await session.execute(query)]
    return stored, longest_stride_us


_FRAME = (FrameRow.layout, FrameRow.t_us, FrameRow.took_us, FrameRow.values)


def _one_a_stride(
    of_layout: Sequence[ColumnElement[bool]], first_us: int, last_us: int, stride_us: int
) -> Select[int, int, int, list[float | None]]:
    """The first frame of each stride: a lateral join that steps through the index once for each."""
    step = literal(stride_us, BigInteger)
    strides = func.generate_series(first_us, last_us, step).table_valued("begins_us", name="stride").render_derived()
    begins = strides.c.begins_us
    one = (
        select(*_FRAME)
        .where(*of_layout, FrameRow.t_us >= begins, FrameRow.t_us < begins + step)
        .order_by(FrameRow.t_us)
        .limit(1)
        .lateral()
    )
    return select(*one.c).select_from(strides).join(one, true())


async def intervals(
    session: AsyncSession, trial_id: UUID, host_id: UUID, damage: Damage
) -> list[tuple[int, LatencyInterval]]:
    """A host's latency intervals in order of time, each with its position in the run's live stream."""
    table = LatencyIntervalRow
    query = (
        select(table.live_seq, table.stream, table.t0_us, table.t1_us, table.count, table.histogram, table.quantity)
        .where(table.trial_id == trial_id, table.host_id == host_id)
        .order_by(table.t0_us, table.id)
    )
    names = ("stream", "t0_us", "t1_us", "count", "histogram", "quantity")
    rows = await session.execute(query)
    read = ((row[0], damage.interval(dict(zip(names, row[1:], strict=True)))) for row in rows)
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
    """The newest position of a trial's frames in the run's live stream; 0 if there are none."""
    return await session.scalar(select(func.max(FrameRow.live_seq)).where(FrameRow.trial_id == trial_id)) or 0


PAGE = 2000
"""Rows that a cursor on the server gives at a time."""


async def first_interval_us(session: AsyncSession, trial_ids: Sequence[UUID]) -> int | None:
    """When the earliest histogram of these trials begins."""
    table = LatencyIntervalRow
    return await session.scalar(select(func.min(table.t0_us)).where(table.trial_id.in_(trial_ids)))


async def histogram_pages(
    session: AsyncSession, trial_id: UUID
) -> AsyncIterator[Sequence[tuple[str, str, int, int, str]]]:
    """Stream, quantity, begin, end and payload of each histogram of a trial, in order of time."""
    table = LatencyIntervalRow
    query = select(table.stream, table.quantity, table.t0_us, table.t1_us, table.histogram)
    query = query.where(table.trial_id == trial_id, table.histogram.is_not(None)).order_by(table.t0_us, table.id)
    async for rows in (await session.stream(query, execution_options={"yield_per": PAGE})).partitions():
        yield [(stream, quantity, t0, t1, payload or "") for stream, quantity, t0, t1, payload in rows]
