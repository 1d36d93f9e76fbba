"""Make blocks of the rows of a trial that is over, some rows at a time: each step is one short transaction.

Whoever reads rows and then blocks misses nothing meanwhile, and finds at most some readings twice.
"""

import asyncio
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy import ARRAY, Uuid, delete, func, literal, select, true
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from ngxlab.metrics.blocks import histograms
from ngxlab.metrics.blocks.histograms import StoredInterval
from ngxlab.metrics.blocks.readings import Readings, encode
from ngxlab.metrics.models import FrameBlockRow, FrameRow, IntervalBlockRow, LatencyIntervalRow
from ngxlab.metrics.packed_frames import unpack

READINGS = 1000
"""In a block: a minute or two at 10 Hz, a quarter of an hour at 1 Hz."""
INTERVALS = 120
_INTERVAL = tuple(getattr(LatencyIntervalRow, name) for name in StoredInterval._fields)


async def pack_some(session: AsyncSession, trial_ids: Sequence[UUID]) -> bool:
    """Make blocks of some rows of these trials; whether there were any."""
    return await _pack_readings(session, trial_ids) or await _pack_intervals(session, trial_ids)


async def _first(
    session: AsyncSession, trial_ids: Sequence[UUID], key: Sequence[InstrumentedAttribute[Any]], time: Any
) -> Sequence[Any] | None:
    """The key of some row of these trials; its first column is the trial. Trial by trial, in the order of the index:
    otherwise PostgreSQL reads all that has been packed before and awaits the vacuum, with each step again."""
    trials = func.unnest(literal(list(trial_ids), ARRAY(Uuid))).table_valued("id", name="trial").render_derived()
    own = select(*key).where(key[0] == trials.c.id).order_by(*key[1:], time).limit(1).lateral()
    found = select(*own.c).select_from(trials).join(own, true()).limit(1)
    return (await session.execute(found)).one_or_none()


async def _pack_readings(session: AsyncSession, trial_ids: Sequence[UUID]) -> bool:
    row = FrameRow
    key = await _first(session, trial_ids, (row.trial_id, row.host_id, row.layout), row.t_us)
    if key is None:
        return False
    columns = (row.id, row.t_us, row.took_us, row.live_seq, func.cardinality(row.values).label("width"))
    query = select(*columns, func.array_send(row.values).label("packed"))
    query = query.where(row.trial_id == key[0], row.host_id == key[1], row.layout == key[2])
    rows = (await session.execute(query.order_by(row.t_us, row.id).limit(READINGS))).all()
    for readings in await asyncio.to_thread(_blocks, rows):
        times = {"first_us": int(readings.t_us[0]), "last_us": int(readings.t_us[-1]), "readings": readings.t_us.size}
        content = await asyncio.to_thread(encode, readings)
        last = int(readings.live_seq.max())
        place = {"trial_id": key[0], "host_id": key[1], "layout": key[2]}
        session.add(FrameBlockRow(**place, **times, last_live_seq=last, content=content))
    await session.execute(delete(row).where(row.id.in_([one.id for one in rows])))
    return True


def _blocks(rows: Sequence[Any]) -> list[Readings]:
    """In order of time; damaged data may have frames of other widths than their layout's."""
    return [_readings(list(same), width) for width, same in groupby(rows, attrgetter("width"))]


def _readings(rows: list[Any], width: int) -> Readings:
    values, is_null, _ = unpack(b"".join(row.packed for row in rows), len(rows), width)
    t_us, took_us, live_seq = np.array([(row.t_us, row.took_us, row.live_seq) for row in rows], np.int64).T
    return Readings(t_us, took_us, live_seq, values.reshape(len(rows), width), is_null.reshape(len(rows), width))


async def _pack_intervals(session: AsyncSession, trial_ids: Sequence[UUID]) -> bool:
    row = LatencyIntervalRow
    key = await _first(session, trial_ids, (row.trial_id, row.host_id), row.t0_us)
    if key is None:
        return False
    query = select(row.id, *_INTERVAL).where(row.trial_id == key[0], row.host_id == key[1])
    rows = (await session.execute(query.order_by(row.t0_us, row.id).limit(INTERVALS))).all()
    intervals = [StoredInterval(*one[1:]) for one in rows]
    content = await asyncio.to_thread(histograms.encode, intervals)
    times = {"first_us": intervals[0].t0_us, "last_us": max(one.t1_us for one in intervals)}
    place = {"trial_id": key[0], "host_id": key[1], "intervals": len(intervals)}
    session.add(IntervalBlockRow(**place, **times, content=content))
    await session.execute(delete(row).where(row.id.in_([one.id for one in rows])))
    return True
