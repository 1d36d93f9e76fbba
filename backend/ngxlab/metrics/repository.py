"""Read a trial's raw telemetry back."""

from collections.abc import Sequence
from uuid import UUID

from ngxlab_contracts.telemetry import Artefact, Event, LatencyInterval, Layout
from pydantic import TypeAdapter
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.raw_series import StoredFrame
from ngxlab.metrics.models import ArtefactRow, FrameRow, LatencyIntervalRow, LayoutRow, TrialEventRow

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


async def layouts(session: AsyncSession, trial_id: UUID, host_id: UUID) -> dict[int, Layout]:
    """A host's layouts in a trial, by id."""
    query = select(LayoutRow).where(LayoutRow.trial_id == trial_id, LayoutRow.host_id == host_id)
    rows = (await session.scalars(query)).all()
    return {
        row.id: Layout.model_validate({"id": row.id, "collector": row.collector, "series": row.series}) for row in rows
    }


async def frames(session: AsyncSession, trial_id: UUID, host_id: UUID) -> list[tuple[int, StoredFrame]]:
    """A host's readings in order of time, each with its position in the run's live stream."""
    query = (
        select(FrameRow.live_seq, FrameRow.layout, FrameRow.t_us, FrameRow.took_us, FrameRow.values)
        .where(FrameRow.trial_id == trial_id, FrameRow.host_id == host_id)
        .order_by(FrameRow.t_us, FrameRow.id)
    )
    return [(row[0], StoredFrame(row[1], row[2], row[3], row[4])) for row in await session.execute(query)]


async def intervals(session: AsyncSession, trial_id: UUID, host_id: UUID) -> list[tuple[int, LatencyInterval]]:
    """A host's latency intervals in order of time, each with its position in the run's live stream."""
    table = LatencyIntervalRow
    query = (
        select(table.live_seq, table.stream, table.t0_us, table.t1_us, table.count, table.histogram)
        .where(table.trial_id == trial_id, table.host_id == host_id)
        .order_by(table.t0_us, table.id)
    )
    return [
        (seq, LatencyInterval(stream=stream, t0_us=t0, t1_us=t1, count=count, histogram=histogram))
        for seq, stream, t0, t1, count, histogram in await session.execute(query)
    ]


async def events(session: AsyncSession, trial_id: UUID, host_id: UUID) -> list[tuple[int, Event]]:
    """A host's events in the order it reported them, without kept files."""
    query = (
        select(TrialEventRow.live_seq, TrialEventRow.event)
        .where(TrialEventRow.trial_id == trial_id, TrialEventRow.host_id == host_id)
        .order_by(TrialEventRow.id)
    )
    return [(seq, _EVENT.validate_python(event)) for seq, event in await session.execute(query)]


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
