"""Readings and histograms of a trial that have been packed into blocks, as the rows that they were."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.exports.archive import layout
from ngxlab.metrics.blocks.reading import frame_blocks, interval_blocks, intervals_of, stored_frames
from ngxlab.metrics.blocks.readings import decode
from ngxlab.metrics.models import FrameBlockRow, IntervalBlockRow

Row = Sequence[Any]


async def packed_rows(
    session: AsyncSession, name: str, trial_id: UUID, hosts: Mapping[UUID, int]
) -> AsyncIterator[list[Row]]:
    """Those of the file ``name``, a block at a time: the host, and what a row of the table has beside its ids."""
    if name == layout.FRAMES:
        for host_id in hosts:
            for number, contents in (await frame_blocks(session, trial_id, host_id)).items():
                for content in contents:
                    yield await asyncio.to_thread(_frames, host_id, number, content)
    elif name == layout.INTERVALS:
        for host_id in hosts:
            for content in await interval_blocks(session, trial_id, host_id):
                yield await asyncio.to_thread(_intervals, host_id, content)


def _frames(host_id: UUID, number: int, content: bytes) -> list[Row]:
    with contextlib.suppress(ValueError):  # a block that cannot be read is left out, as it is from reports
        return [(host_id, *frame) for frame in stored_frames(number, decode(content))]
    return []


def _intervals(host_id: UUID, content: bytes) -> list[Row]:
    return [(host_id, *interval[:-1]) for interval in intervals_of([content])]


async def count(session: AsyncSession, trials: Any) -> int:
    """Of the readings and histograms in blocks of the trials that ``trials`` selects."""
    counts = [
        await session.scalar(select(func.sum(number)).where(trial_id.in_(trials)))
        for number, trial_id in (
            (FrameBlockRow.readings, FrameBlockRow.trial_id),
            (IntervalBlockRow.intervals, IntervalBlockRow.trial_id),
        )
    ]
    return sum(int(one or 0) for one in counts)
