"""A few readings of many: so many as a chart has points, evenly spaced.

Counters are cumulative, so the rate between two readings is exact however many were skipped between them; gauges are
sampled.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

import numpy as np
from ngxlab_contracts.telemetry import Layout
from sqlalchemy import BigInteger, ColumnElement, Select, func, literal, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.records.readings import StoredFrame
from ngxlab.metrics.blocks.reading import Span, frame_blocks, stored_frames
from ngxlab.metrics.blocks.readings import Chosen, Readings
from ngxlab.metrics.damage import LATEST_US, Damage
from ngxlab.metrics.models import FrameRow

WHOLE: Span = (-LATEST_US, LATEST_US)


class Spacing(NamedTuple):
    """About ``readings`` of each layout in each of ``spans``. A layout whose own interval is not shorter than what lies
    between so many is returned completely."""

    readings: int
    interval_us: int
    spans: Sequence[Span] = (WHOLE,)

    def stride_us(self, first_us: int, last_us: int) -> int:
        """0 for all readings."""
        stride_us = (last_us - first_us) // self.readings
        return stride_us if stride_us > self.interval_us else 0


class Sparse(NamedTuple):
    """``stride_us``: the longest time between two of them that was chosen."""

    frames: list[StoredFrame]
    stride_us: int


class Narrow(NamedTuple):
    """Some columns of a layout; the layout with all, and with these."""

    chosen: Chosen
    whole: Layout
    layout: Layout

    @classmethod
    def of(cls, layout: Layout, chosen: Sequence[int]) -> "Narrow":
        kept = layout.model_copy(update={"series": [layout.series[position] for position in chosen]})
        return cls(Chosen(len(layout.series), chosen), layout, kept)

    def frame(self, frame: StoredFrame) -> StoredFrame:
        return frame._replace(values=[frame.values[position] for position in self.chosen.positions])


async def sparse_frames(
    session: AsyncSession,
    key: tuple[UUID, UUID],
    narrow: Mapping[int, Narrow],
    spacing: Spacing,
    damage: Damage,
) -> Sparse:
    """Of a trial and a host: the chosen columns of layouts by their ids. What is stored in rows costs one step in the
    index for each reading that is returned; of what is in blocks, the chosen columns in the spans are unpacked."""
    frames: dict[tuple[int, int], StoredFrame] = {}
    longest_us = 0
    whole = {layout: own.whole for layout, own in narrow.items()}
    for layout, own in narrow.items():
        for span in spacing.spans:
            found, stride_us = await _of_rows(session, key, layout, spacing, span)
            sound = (damage.frame(frame, whole) for frame in found)
            frames |= {(layout, frame.t_us): own.frame(frame) for frame in sound if frame is not None}
            longest_us = max(longest_us, stride_us)
    # After the rows: what becomes a block meanwhile is found twice rather than never.
    blocks = await frame_blocks(session, *key, narrow, spacing.spans)
    if blocks:
        found, stride_us = await asyncio.to_thread(_of_blocks, blocks, narrow, spacing, damage)
        frames |= {(frame.layout, frame.t_us): frame for frame in found}
        longest_us = max(longest_us, stride_us)
    return Sparse(list(frames.values()), longest_us)


async def _of_rows(session: AsyncSession, key: tuple[UUID, UUID], layout: int, spacing: Spacing, span: Span) -> Sparse:
    of_layout = (
        FrameRow.trial_id == key[0],
        FrameRow.host_id == key[1],
        FrameRow.layout == layout,
        FrameRow.t_us.between(*span),
    )
    ends = select(func.min(FrameRow.t_us), func.max(FrameRow.t_us)).where(*of_layout)
    first_us, last_us = (await session.execute(ends)).one()
    if first_us is None:
        return Sparse([], 0)
    stride_us = spacing.stride_us(first_us, last_us)
    if stride_us:
        query = _one_a_stride(of_layout, first_us, last_us, stride_us)
    else:
        query = select(*_FRAME).where(*of_layout).order_by(FrameRow.t_us)
    return Sparse([StoredFrame(*row) for row in await session.execute(query)], stride_us)


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


def _of_blocks(
    blocks: Mapping[int, Sequence[bytes]], narrow: Mapping[int, Narrow], spacing: Spacing, damage: Damage
) -> Sparse:
    frames: list[StoredFrame] = []
    longest_us = 0
    for layout, contents in blocks.items():
        stored = damage.readings(contents, narrow[layout].chosen)
        for begin, until in spacing.spans:
            inside = [one.some((one.t_us >= begin) & (one.t_us <= until)) for one in stored]
            inside = [one for one in inside if one.t_us.size]
            if inside:
                first_us, last_us = min(int(one.t_us[0]) for one in inside), max(int(one.t_us[-1]) for one in inside)
                stride_us = spacing.stride_us(first_us, last_us)
                longest_us = max(longest_us, stride_us)
                for one in _first_of_each(inside, first_us, stride_us) if stride_us else inside:
                    frames += stored_frames(layout, one)
    layouts = {layout: own.layout for layout, own in narrow.items()}
    read = (damage.frame(frame, layouts) for frame in frames)
    return Sparse([frame for frame in read if frame is not None], longest_us)


def _first_of_each(inside: Sequence[Readings], first_us: int, stride_us: int) -> Iterator[Readings]:
    before = -1
    for one in inside:
        strides = (one.t_us - first_us) // stride_us
        yield one.some(np.flatnonzero(np.diff(strides, prepend=before)))
        before = int(strides[-1])
