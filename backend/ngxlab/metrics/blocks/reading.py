"""SQL of blocks, and what can be read of them."""

import contextlib
from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

import numpy as np
from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.records.readings import StoredFrame
from ngxlab.metrics.blocks.histograms import StoredInterval
from ngxlab.metrics.blocks.histograms import decode as decode_intervals
from ngxlab.metrics.blocks.readings import Readings
from ngxlab.metrics.models import FrameBlockRow, IntervalBlockRow

Span = tuple[int, int]
"""From and until, in microseconds of the host's clock; both belong to it."""


async def frame_blocks(
    session: AsyncSession,
    trial_id: UUID,
    host_id: UUID,
    layouts: Collection[int] | None = None,
    spans: Sequence[Span] | None = None,
) -> dict[int, list[bytes]]:
    """By layout, in order of time; only those of ``layouts``, and with readings in one of ``spans``, if given."""
    row = FrameBlockRow
    query = select(row.layout, row.content).where(row.trial_id == trial_id, row.host_id == host_id)
    if layouts is not None:
        query = query.where(row.layout.in_(layouts))
    if spans is not None:
        query = query.where(_touches(row, spans))
    found: dict[int, list[bytes]] = {}
    for layout, content in await session.execute(query.order_by(row.layout, row.first_us, row.id)):
        found.setdefault(layout, []).append(content)
    return found


async def interval_blocks(
    session: AsyncSession, trial_id: UUID, host_id: UUID, span: Span | None = None
) -> Sequence[bytes]:
    """In order of time; only those with intervals in ``span``, if given."""
    row = IntervalBlockRow
    query = select(row.content).where(row.trial_id == trial_id, row.host_id == host_id)
    if span is not None:
        query = query.where(_touches(row, [span]))
    return (await session.scalars(query.order_by(row.first_us, row.id))).all()


async def hosts_of_blocks(session: AsyncSession, trial_id: UUID) -> Sequence[UUID]:
    """Those with packed intervals."""
    row = IntervalBlockRow
    return (await session.scalars(select(row.host_id).where(row.trial_id == trial_id).distinct())).all()


def intervals_of(contents: Sequence[bytes]) -> Iterator[StoredInterval]:
    """For other tools: each histogram as small as it was reported. A block that cannot be read is left out."""
    for content in contents:
        with contextlib.suppress(ValueError):
            yield from decode_intervals(content, level=6)


async def readings_by_host(session: AsyncSession, trial_ids: Sequence[UUID]) -> list[tuple[UUID, UUID, int]]:
    """Trial, host, and how many readings there are in blocks."""
    row = FrameBlockRow
    query = select(row.trial_id, row.host_id, func.sum(row.readings)).where(row.trial_id.in_(trial_ids))
    rows = await session.execute(query.group_by(row.trial_id, row.host_id))
    return [(trial, host, int(readings)) for trial, host, readings in rows]


def _touches(row: type[FrameBlockRow | IntervalBlockRow], spans: Sequence[Span]) -> ColumnElement[bool]:
    return or_(*((row.first_us <= until) & (row.last_us >= begin) for begin, until in spans))


def stored_frames(layout: int, readings: Readings) -> list[StoredFrame]:
    values = readings.values.tolist()
    if readings.is_null.any():
        values = np.where(readings.is_null, None, readings.values).tolist()  # type: ignore[call-overload]
    times = zip(readings.t_us.tolist(), readings.took_us.tolist(), values, strict=True)
    return [StoredFrame(layout, t_us, took_us, own) for t_us, took_us, own in times]
