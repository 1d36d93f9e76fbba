"""Store telemetry in the transaction that acknowledges it."""

from collections.abc import Sequence
from io import BytesIO
from uuid import UUID

from ngxlab_contracts.telemetry import Artefact, Batch, Event, Frame, LatencyInterval, Layout
from sqlalchemy import insert
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.database import driver_of
from ngxlab.core.process_metrics import BATCHES, INGESTED
from ngxlab.core.threads import beside
from ngxlab.metrics.copy_format import FRAME_COLUMNS, frame_rows
from ngxlab.metrics.models import ArtefactRow, FrameRow, LatencyIntervalRow, LayoutRow, TrialEventRow

_INTERVAL_COLUMNS = ("trial_id", "host_id", "stream", "t0_us", "t1_us", "count", "histogram", "quantity", "live_seq")


async def store(session: AsyncSession, trial_id: UUID, host_id: UUID, live_seq: int, batch: Batch) -> None:
    """Store everything in a batch."""
    await store_intervals(session, trial_id, host_id, live_seq, batch.intervals)
    await store_rest(session, trial_id, host_id, live_seq, batch, with_frames=True)


async def store_rest(
    session: AsyncSession, trial_id: UUID, host_id: UUID, live_seq: int, batch: Batch, *, with_frames: bool
) -> None:
    """Store a batch but for its intervals, and its frames if told so."""
    await _store_layouts(session, trial_id, host_id, batch.layouts)
    if with_frames:
        await store_frames(session, trial_id, host_id, live_seq, batch.frames)
    await _store_events(session, trial_id, host_id, live_seq, batch.events)


async def _store_layouts(session: AsyncSession, trial_id: UUID, host_id: UUID, layouts: Sequence[Layout]) -> None:
    rows = [
        {
            "trial_id": trial_id,
            "host_id": host_id,
            "id": layout.id,
            "collector": layout.collector,
            "series": [series.model_dump() for series in layout.series],
        }
        for layout in layouts
    ]
    if rows:
        await session.execute(insert(LayoutRow), rows)


async def store_frames(
    session: AsyncSession, trial_id: UUID, host_id: UUID, live_seq: int, frames: Sequence[Frame]
) -> None:
    """Store frames by a COPY."""
    if not frames:
        return
    read_bytes = 8 * sum(len(frame.values) for frame in frames)
    rows = BytesIO(await beside(read_bytes, frame_rows, trial_id, host_id, live_seq, frames))
    driver = await driver_of(session)
    await driver.copy_to_table(FrameRow.__tablename__, columns=FRAME_COLUMNS, source=rows, format="binary")


async def store_intervals(
    session: AsyncSession, trial_id: UUID, host_id: UUID, live_seq: int, intervals: Sequence[LatencyInterval]
) -> None:
    """Store intervals by a COPY."""
    records = [
        (trial_id, host_id, i.stream, i.t0_us, i.t1_us, i.count, i.histogram, i.quantity, live_seq) for i in intervals
    ]
    if records:
        driver = await driver_of(session)
        await driver.copy_records_to_table(LatencyIntervalRow.__tablename__, columns=_INTERVAL_COLUMNS, records=records)


def count(batch: Batch) -> None:
    """Count a batch that is stored for good."""
    BATCHES.inc()
    for table, rows in (("frame", batch.frames), ("latency_interval", batch.intervals), ("trial_event", batch.events)):
        INGESTED.labels(table).inc(len(rows))


async def _store_events(
    session: AsyncSession, trial_id: UUID, host_id: UUID, live_seq: int, events: Sequence[Event]
) -> None:
    key = {"trial_id": trial_id, "host_id": host_id}
    artefacts = [event for event in events if isinstance(event, Artefact)]
    for artefact in artefacts:
        content = {"text": _storable(artefact.text), "truncated": artefact.truncated}
        row = upsert(ArtefactRow).values(**key, name=artefact.name, **content)
        await session.execute(row.on_conflict_do_update(index_elements=["trial_id", "host_id", "name"], set_=content))
    rows = [
        {**key, "t_us": event.t_us, "live_seq": live_seq, "event": event.model_dump(mode="json")}
        for event in events
        if not isinstance(event, Artefact)
    ]
    if rows:
        await session.execute(insert(TrialEventRow), rows)


def _storable(text: str) -> str:
    """PostgreSQL's text type has no NUL; a log that contains one keeps its other characters."""
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}")
