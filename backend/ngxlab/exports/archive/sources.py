"""The content of an archive as it is stored here: redacted, and in lines of JSON."""

import asyncio
import contextlib
import json
import math
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.exports.archive import layout
from ngxlab.metrics.blocks.readings import decode, frame_blocks, interval_blocks, intervals_of, stored_frames
from ngxlab.metrics.models import (
    ArtefactRow,
    FrameBlockRow,
    FrameRow,
    IntervalBlockRow,
    LatencyIntervalRow,
    LayoutRow,
    TrialEventRow,
)
from ngxlab.metrics.repository import PAGE
from ngxlab.reports.redaction import redacted_json, redacted_spec
from ngxlab.runs.models import Trial, TrialHost

DOCUMENTATION_ADDRESS = "192.0.2.1"
"""Stands where an address must remain one (RFC 5737)."""

_OF_TRIAL = (
    "id", "position", "block", "heat", "arm", "attempt", "state", "code", "reason", "start_at_us", "dispatched_at",
    "phase_at", "finished_at",
)  # fmt: skip

Places = Mapping[UUID, int]
Lines = AsyncIterator[bytes]


def json_line(value: Any) -> bytes:
    """Numbers that JSON has no form for, which only damaged rows have, become null."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


async def trial_lines(trials: Sequence[Trial], hosts: Places) -> Lines:
    for trial in trials:
        yield await asyncio.to_thread(_trial_line, trial, hosts)


def _trial_line(trial: Trial, hosts: Places) -> bytes:
    summary, checks = trial.summary, trial.checks
    part: dict[str, Any] = {name: getattr(trial, name) for name in _OF_TRIAL}
    part["id"] = str(trial.id)
    part |= {name: time.isoformat() for name, time in part.items() if name.endswith("_at") and time is not None}
    part |= {"summary": summary, "checks": checks}
    return json_line(redacted_json(part) | {"hosts": [_trial_host(one, hosts) for one in trial.hosts]})


def _trial_host(one: TrialHost, hosts: Places) -> dict[str, Any]:
    return {
        "host": hosts[one.host_id],
        "spec": redacted_spec(one.spec, DOCUMENTATION_ADDRESS),
        "phase": one.phase,
        "outcome": one.outcome,
        "acked_seq": one.acked_seq,
        "last_batch_at": one.last_batch_at.isoformat() if one.last_batch_at else None,
        "clock_offset_us": one.clock_offset_us,
        "ended_streams": one.ended_streams,
    }


Source = tuple[Any, Callable[[int, int, Sequence[Any]], Any]]
"""A query for one trial, whose first column is the host; and what makes a line of a row."""


def _layouts() -> Source:
    row = LayoutRow
    query = select(row.host_id, row.id, row.collector, row.series).order_by(row.host_id, row.id)

    def line(trial: int, host: int, found: Sequence[Any]) -> Any:
        number, collector, series = found
        return {"trial": trial, "host": host, "id": number, "collector": collector, "series": series}

    return query, line


def _frames() -> Source:
    row = FrameRow
    query = select(row.host_id, row.layout, row.t_us, row.took_us, row.values)
    return query.order_by(row.host_id, row.layout, row.t_us, row.id), _array


def _intervals() -> Source:
    row = LatencyIntervalRow
    query = select(row.host_id, row.stream, row.t0_us, row.t1_us, row.count, row.histogram, row.quantity)
    return query.order_by(row.host_id, row.t0_us, row.id), _array


def _array(trial: int, host: int, found: Sequence[Any]) -> Any:
    return [trial, host, *found]


def _events() -> Source:
    row = TrialEventRow

    def line(trial: int, host: int, found: Sequence[Any]) -> Any:
        return {"trial": trial, "host": host, "t_us": found[0], "event": redacted_json(found[1], DOCUMENTATION_ADDRESS)}

    return select(row.host_id, row.t_us, row.event).order_by(row.host_id, row.id), line


def _artefacts() -> Source:
    row = ArtefactRow

    def line(trial: int, host: int, found: Sequence[Any]) -> Any:
        name, text, truncated = found
        file = {"kind": "artefact", "t_us": 0, "name": name, "text": redacted_json(text), "truncated": truncated}
        return {"trial": trial, "host": host, "file": file}

    return select(row.host_id, row.name, row.text, row.truncated).order_by(row.host_id, row.name), line


_SOURCES: dict[str, tuple[Any, Callable[[], Source]]] = {
    layout.LAYOUTS: (LayoutRow, _layouts),
    layout.FRAMES: (FrameRow, _frames),
    layout.INTERVALS: (LatencyIntervalRow, _intervals),
    layout.EVENTS: (TrialEventRow, _events),
    layout.ARTEFACTS: (ArtefactRow, _artefacts),
}
ROWS = tuple(_SOURCES)


async def row_lines(session: AsyncSession, name: str, trials: Sequence[Trial], hosts: Places) -> Lines:
    """The rows of all trials: of blocks, then by a cursor on the server. The session reads one snapshot."""
    table, source = _SOURCES[name]
    query, line = source()

    def text(place: int, rows: Iterable[Any]) -> bytes:
        return b"".join(json_line(line(place, hosts[host], found)) for host, *found in rows)

    for place, trial in enumerate(trials):
        async for packed in packed_rows(session, name, trial.id, hosts):
            yield await asyncio.to_thread(text, place, packed)
        of_trial = query.where(table.trial_id == trial.id)
        rows = await session.stream(of_trial, execution_options={"yield_per": PAGE})
        async for page in rows.partitions():
            yield await asyncio.to_thread(text, place, page)


Row = Sequence[Any]


async def packed_rows(
    session: AsyncSession, name: str, trial_id: UUID, hosts: Mapping[UUID, int]
) -> AsyncIterator[list[Row]]:
    """Rows of the file ``name``, a block at a time: the host, and what a row of the table has beside its ids."""
    if name == layout.FRAMES:
        for host_id in hosts:
            for number, contents in (await frame_blocks(session, trial_id, host_id)).items():
                for content in contents:
                    yield await asyncio.to_thread(_block_frames, host_id, number, content)
    elif name == layout.INTERVALS:
        for host_id in hosts:
            for content in await interval_blocks(session, trial_id, host_id):
                yield await asyncio.to_thread(_block_intervals, host_id, content)


def _block_frames(host_id: UUID, number: int, content: bytes) -> list[Row]:
    with contextlib.suppress(ValueError):  # a block that cannot be read is left out, as it is from reports
        return [(host_id, *frame) for frame in stored_frames(number, decode(content))]
    return []


def _block_intervals(host_id: UUID, content: bytes) -> list[Row]:
    return [(host_id, *interval[:-1]) for interval in intervals_of([content])]


async def count(session: AsyncSession, trials: Any) -> int:
    """The number of readings and histograms in blocks of the trials that ``trials`` selects."""
    counts = [
        await session.scalar(select(func.sum(number)).where(trial_id.in_(trials)))
        for number, trial_id in (
            (FrameBlockRow.readings, FrameBlockRow.trial_id),
            (IntervalBlockRow.intervals, IntervalBlockRow.trial_id),
        )
    ]
    return sum(int(one or 0) for one in counts)
