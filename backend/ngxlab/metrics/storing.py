"""Store a batch: one COPY per table, inside the transaction that acknowledges the batch."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any
from uuid import UUID

from ngxlab_contracts.telemetry import Artefact, Batch, Event, Frame
from sqlalchemy import insert
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.apart.beside import beside
from ngxlab.core.counted import BATCHES, INGESTED
from ngxlab.metrics.copy_format import FRAME_COLUMNS, frame_rows
from ngxlab.metrics.models import ArtefactRow, FrameRow, LatencyIntervalRow, LayoutRow, TrialEventRow

_INTERVAL_COLUMNS = ("trial_id", "host_id", "stream", "t0_us", "t1_us", "count", "histogram", "quantity", "live_seq")


async def _driver(session: AsyncSession) -> Any:
    """The asyncpg connection of the session's transaction: SQLAlchemy has no COPY."""
    connection = await session.connection()
    raw = await connection.get_raw_connection()
    if raw.driver_connection is None:
        raise RuntimeError("the database connection was closed during the transaction")
    return raw.driver_connection


async def store(session: AsyncSession, trial_id: UUID, host_id: UUID, live_seq: int, batch: Batch) -> None:
    """Store everything in a batch; its effect on the trial's state is handled elsewhere."""
    if batch.layouts:
        rows = [
            {
                "trial_id": trial_id,
                "host_id": host_id,
                "id": layout.id,
                "collector": layout.collector,
                "series": [series.model_dump() for series in layout.series],
            }
            for layout in batch.layouts
        ]
        await session.execute(insert(LayoutRow), rows)
    if batch.frames:
        await store_frames(await _driver(session), trial_id, host_id, live_seq, batch.frames)
    if batch.intervals:
        intervals = (
            (trial_id, host_id, i.stream, i.t0_us, i.t1_us, i.count, i.histogram, i.quantity, live_seq)
            for i in batch.intervals
        )
        driver = await _driver(session)
        await driver.copy_records_to_table(
            LatencyIntervalRow.__tablename__, columns=_INTERVAL_COLUMNS, records=intervals
        )
    await _store_events(session, trial_id, host_id, live_seq, batch.events)


async def store_frames(driver: Any, trial_id: UUID, host_id: UUID, live_seq: int, frames: Sequence[Frame]) -> None:
    """By a COPY in the transaction of the driver's connection."""
    read_bytes = 8 * sum(len(frame.values) for frame in frames)
    rows = BytesIO(await beside(read_bytes, frame_rows, trial_id, host_id, live_seq, frames))
    await driver.copy_to_table(FrameRow.__tablename__, columns=FRAME_COLUMNS, source=rows, format="binary")


def count(batch: Batch) -> None:
    """A batch has been stored, for good."""
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
