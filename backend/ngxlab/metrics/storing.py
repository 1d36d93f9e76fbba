"""Store telemetry in the transaction that acknowledges it.

Frames go in PostgreSQL's binary COPY format (its manual on COPY, "Binary Format"; array_send in its source): a driver
encodes an array value by value, which takes several times as long as the database needs to store it.
"""

import struct
from collections.abc import Iterable, Sequence
from io import BytesIO
from uuid import UUID

import numpy as np
from ngxlab_contracts.telemetry import Artefact, Batch, Event, Frame, LatencyInterval, Layout
from sqlalchemy import insert
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.database import driver_of
from ngxlab.core.process_metrics import BATCHES, INGESTED
from ngxlab.core.threads import beside
from ngxlab.metrics.models import ArtefactRow, FrameRow, LatencyIntervalRow, LayoutRow, TrialEventRow

FRAME_COLUMNS = ("trial_id", "host_id", "layout", "t_us", "took_us", "live_seq", "values")

_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER = struct.pack(">h", -1)
_ROW = struct.Struct(">h i16s i16s ih iq ii iq i")
"""The number of fields, then each field's length and value, up to the length of the last field, the array."""
_ARRAY = struct.Struct(">iiIii")
"""Number of dimensions, whether there are nulls, the elements' type, the one dimension's length and lower bound."""
_NO_ELEMENTS = struct.Struct(">iiI")
_FLOAT8 = 701
_ELEMENT = np.dtype([("length", ">i4"), ("value", ">f8")])
_VALUE = struct.Struct(">id")
_NULL = struct.pack(">i", -1)


def frame_rows(trial_id: UUID, host_id: UUID, live_seq: int, frames: Iterable[Frame]) -> bytes:
    """A complete COPY of :data:`FRAME_COLUMNS`. Raises ``struct.error`` for a number that its column cannot hold."""
    return b"".join((_HEADER, *_rows(trial_id.bytes, host_id.bytes, live_seq, frames), _TRAILER))


def _rows(trial: bytes, host: bytes, live_seq: int, frames: Iterable[Frame]) -> Iterable[bytes]:
    for frame in frames:
        values = float8_array(frame.values)
        yield _ROW.pack(
            len(FRAME_COLUMNS), 16, trial, 16, host, 2, frame.layout, 8, frame.t_us, 4, frame.took_us, 8, live_seq,
            len(values),
        )  # fmt: skip
        yield values


def float8_array(values: Sequence[float | None]) -> bytes:
    """A ``double precision[]`` as the database receives it; ``None`` becomes NULL."""
    if not values:
        return _NO_ELEMENTS.pack(0, 0, _FLOAT8)
    with_nulls = None in values
    head = _ARRAY.pack(1, with_nulls, _FLOAT8, len(values), 1)
    if with_nulls:
        return head + b"".join(_NULL if value is None else _VALUE.pack(8, value) for value in values)
    elements = np.empty(len(values), _ELEMENT)
    elements["length"], elements["value"] = 8, values
    return head + elements.tobytes()


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
