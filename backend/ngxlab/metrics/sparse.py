"""A few readings of many: so many as a chart has points, evenly spaced.

Counters are cumulative, so the rate between two readings is exact however many were skipped between them; gauges are
sampled.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

import numpy as np
from ngxlab_contracts.telemetry import Event, Layout
from ngxlab_contracts.trials import TrialSpec
from sqlalchemy import BigInteger, ColumnElement, Select, func, literal, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.records.readings import FrameTable, StoredFrame, tables_of
from ngxlab.analysis.series.derive import SeriesDeriver, Within
from ngxlab.metrics.blocks.readings import Chosen, Readings, Span, frame_blocks
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
    """Chosen readings by layout. ``stride_us``: the longest time between two of them that was chosen."""

    tables: dict[int, FrameTable]
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
    """The chosen columns of a host's layouts in a trial, by the layouts' ids.

    Each reading that is returned from rows costs one step in the index; of blocks, the chosen columns in the spans are
    unpacked.
    """
    found: dict[int, list[FrameTable]] = {layout: [] for layout in narrow}
    longest_us = 0
    whole = {layout: own.whole for layout, own in narrow.items()}
    of_host = select(FrameRow.id).where(FrameRow.trial_id == key[0], FrameRow.host_id == key[1])
    # By the index: while the rows of a packed trial await the vacuum, PostgreSQL believes in them and reads all pages.
    any_row = await session.scalar(of_host.order_by(FrameRow.layout, FrameRow.t_us).limit(1))
    for layout, own in narrow.items() if any_row is not None else ():
        for span in spacing.spans:
            rows, stride_us = await _of_rows(session, key, layout, spacing, span)
            sound = (damage.frame(frame, whole) for frame in rows)
            found[layout] += tables_of(own.frame(frame) for frame in sound if frame is not None).values()
            longest_us = max(longest_us, stride_us)
    # After the rows: what becomes a block meanwhile is found twice rather than never.
    blocks = await frame_blocks(session, *key, narrow, spacing.spans)
    if blocks:
        longest_us = max(longest_us, await asyncio.to_thread(_add_blocks, found, blocks, narrow, spacing, damage))
    return Sparse({layout: _once(tables) for layout, tables in found.items() if tables}, longest_us)


async def _of_rows(
    session: AsyncSession, key: tuple[UUID, UUID], layout: int, spacing: Spacing, span: Span
) -> tuple[list[StoredFrame], int]:
    """With the stride."""
    of_layout = (
        FrameRow.trial_id == key[0],
        FrameRow.host_id == key[1],
        FrameRow.layout == layout,
        FrameRow.t_us.between(*span),
    )
    ends = select(func.min(FrameRow.t_us), func.max(FrameRow.t_us)).where(*of_layout)
    first_us, last_us = (await session.execute(ends)).one()
    if first_us is None:
        return [], 0
    stride_us = spacing.stride_us(first_us, last_us)
    if stride_us:
        query = _one_a_stride(of_layout, first_us, last_us, stride_us)
    else:
        query = select(*_FRAME).where(*of_layout).order_by(FrameRow.t_us)
    return [StoredFrame(*row) for row in await session.execute(query)], stride_us


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


def _add_blocks(
    found: Mapping[int, list[FrameTable]],
    blocks: Mapping[int, Sequence[bytes]],
    narrow: Mapping[int, Narrow],
    spacing: Spacing,
    damage: Damage,
) -> int:
    """The longest stride."""
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
                chosen = _first_of_each(inside, first_us, stride_us) if stride_us else inside
                found[layout] += (damage.sound_table(one.t_us, one.values, one.is_null) for one in chosen)
    return longest_us


def _once(tables: Sequence[FrameTable]) -> FrameTable:
    """The readings in order of time; of what was found twice, the last."""
    t_us, values = (np.concatenate(column)[::-1] for column in zip(*tables, strict=True))
    once, first = np.unique(t_us, return_index=True)
    return FrameTable(once, values[first])


def _first_of_each(inside: Sequence[Readings], first_us: int, stride_us: int) -> Iterator[Readings]:
    before = -1
    for one in inside:
        strides = (one.t_us - first_us) // stride_us
        yield one.some(np.flatnonzero(np.diff(strides, prepend=before)))
        before = int(strides[-1])


_STEPS_BEFORE = 3
"""Readings before the first point of a line, so that it has its rate."""


def spans_of(spec: TrialSpec, events: Iterable[Event], within: Within, points: int) -> list[Span]:
    """The part itself is the last of them. Before it, what was read before the load began: baselines of derivations."""
    deriver = SeriesDeriver(spec)
    deriver.feed_lines([], [], [], events)
    began_us, origin_us = deriver.began_us, deriver.origin_us
    if began_us is None or origin_us is None:
        return [WHOLE]  # nothing is derived of what was before
    begin_s, end_s = within
    longest_ms = max(spec.sampling.interval_ms, spec.sampling.histogram_interval_ms)
    margin_us = _STEPS_BEFORE * max(longest_ms * 1000, round((end_s - begin_s) * 1e6) // points)
    begin_us, end_us = (max(-LATEST_US, min(LATEST_US, origin_us + round(at_s * 1e6))) for at_s in within)
    return [(-LATEST_US, began_us), (max(began_us, begin_us - margin_us), end_us + margin_us)]
