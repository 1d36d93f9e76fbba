"""Many readings of one layout as bytes, a column at a time, and back without any loss.

Successive readings of a counter differ little. Each column becomes whole numbers (of 10^-k where all of its values are
decimals with k places, else the bits of the values), of which the differences are kept, byte by byte: the high bytes
are nearly all zero. Those that are zero in all readings of a column are left out: zlib made nothing of them, but to
unpack nothing took most of the time of a chart.
"""

import contextlib
import struct
import zlib
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.records.readings import StoredFrame
from ngxlab.metrics.blocks.histograms import StoredInterval
from ngxlab.metrics.blocks.histograms import decode as decode_intervals
from ngxlab.metrics.models import FrameBlockRow, IntervalBlockRow

_HEADER = struct.Struct("<BIH")
"""The form, the number of readings, that of columns."""
_FORM = 2
_UNKNOWN = "its form is not one that this version knows"
_NUMBER_BYTES = 8
_PLACES = (0, 1, 2, 3, 4, 6, 9)
_BITS = 255
"""In place of the number of places, for a column of which the bits are kept."""
_LARGEST = 2.0**53
_OWN_COLUMNS = 3
_MAX_BYTES = 1 << 28


class Readings(NamedTuple):
    """Readings of one layout; each has a row of ``values`` and of ``is_null``. A value that is null is NaN."""

    t_us: NDArray[np.int64]
    took_us: NDArray[np.int64]
    live_seq: NDArray[np.int64]
    values: NDArray[np.float64]
    is_null: NDArray[np.bool_]

    def some(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> "Readings":
        t_us, took_us, live_seq, values, is_null = self
        return Readings(t_us[chosen], took_us[chosen], live_seq[chosen], values[chosen], is_null[chosen])


def encode(readings: Readings) -> bytes:
    rows, width = readings.values.shape
    values = np.where(readings.is_null, 0.0, readings.values)
    numbers = np.empty((_OWN_COLUMNS + width, rows), np.int64)
    numbers[:_OWN_COLUMNS] = readings.t_us, readings.took_us, readings.live_seq
    places = np.full(width, _BITS, np.uint8)
    for column in range(width):
        places[column], numbers[_OWN_COLUMNS + column] = _whole(np.ascontiguousarray(values[:, column]))
    planes = _planes(numbers)
    used = planes.any(axis=2)
    head = _HEADER.pack(_FORM, rows, width) + places.tobytes() + np.packbits(readings.is_null).tobytes()
    return zlib.compress(head + np.packbits(used).tobytes() + planes[used].tobytes(), 6)


class Chosen(NamedTuple):
    """Positions of some columns of a layout of ``width``."""

    width: int
    positions: Sequence[int]


def decode(content: bytes, of: Chosen | None = None) -> Readings:
    """Unpack all columns of the values, or those of ``of``.

    Raises ValueError for what is no such block, or has another width.
    """
    unpacked = unpack(content)
    if len(unpacked) < _HEADER.size:
        raise ValueError("it is too short")
    form, rows, width = _HEADER.unpack_from(unpacked)
    at = _HEADER.size
    nulls = -(-rows * width // 8)
    columns, rest = _OWN_COLUMNS + width, unpacked[at + width + nulls :]
    if form != _FORM or len(rest) < columns:
        raise ValueError(_UNKNOWN)
    used = np.unpackbits(np.frombuffer(rest, np.uint8, columns)).view(np.bool_).reshape(_NUMBER_BYTES, columns)
    planes = rest[columns:]
    if len(planes) != used.sum() * rows:
        raise ValueError(_UNKNOWN)
    if of is not None and of.width != width:
        raise ValueError(f"it has {width} columns, its layout {of.width}")
    chosen = np.arange(width) if of is None else np.array(of.positions, np.int64)
    places = np.frombuffer(unpacked, np.uint8, width, at)[chosen]
    bits = np.unpackbits(np.frombuffer(unpacked, np.uint8, nulls, at + width), count=rows * width)
    is_null = bits.view(np.bool_).reshape(rows, width)[:, chosen]
    kept = np.frombuffer(planes, np.uint8).reshape(-1, rows) if rows else np.zeros((0, 0), np.uint8)
    numbers = _numbers(used, kept, np.concatenate([np.arange(_OWN_COLUMNS), _OWN_COLUMNS + chosen]))
    values = _values(numbers[_OWN_COLUMNS:], places)
    values[is_null] = np.nan
    return Readings(numbers[0], numbers[1], numbers[2], values, is_null)


def unpack(content: bytes) -> bytes:
    """Decompress within bounds. Raises ValueError."""
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(content, _MAX_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacker.eof:
        raise ValueError("it is cut off or too large")
    return unpacked


def _whole(values: NDArray[np.float64]) -> tuple[int, NDArray[np.int64]]:
    bits = values.view(np.int64)
    for places in _PLACES:
        scaled = values * 10.0**places
        if not (np.abs(scaled) < _LARGEST).all():  # NaN and infinity, too
            break
        whole = np.rint(scaled)
        if np.array_equal((whole.astype(np.int64) / 10.0**places).view(np.int64), bits):
            return places, whole.astype(np.int64)
    return _BITS, bits


def _values(numbers: NDArray[np.int64], places: NDArray[np.uint8]) -> NDArray[np.float64]:
    """A row for each reading."""
    as_bits = places == _BITS
    scale = 10.0 ** np.where(as_bits, 0, places)
    values = numbers / scale[:, None]
    values[as_bits] = numbers[as_bits].view(np.float64)
    return np.ascontiguousarray(values.T)


def _planes(numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The differences of each row's numbers, sign last: by byte, the lowest first, by column, by reading."""
    steps = np.diff(numbers, axis=1, prepend=0)
    folded = np.ascontiguousarray(((steps << 1) ^ (steps >> 63)).astype("<u8", copy=False).view("<u8"))
    return np.moveaxis(folded.view(np.uint8).reshape(*numbers.shape, _NUMBER_BYTES), -1, 0)


def _numbers(used: NDArray[np.bool_], planes: NDArray[np.uint8], columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """A row for each of ``columns``."""
    where = (np.cumsum(used) - 1).reshape(used.shape)[:, columns]
    there = used[:, columns]
    numbers_bytes = np.zeros((columns.size, planes.shape[1], _NUMBER_BYTES), np.uint8)
    for byte in np.flatnonzero(there.any(axis=1)):
        own = there[byte]
        numbers_bytes[own, :, byte] = planes[where[byte, own]]
    folded = numbers_bytes.view("<u8")[..., 0]
    steps = (folded >> np.uint64(1)).view(np.int64) ^ -(folded & np.uint64(1)).view(np.int64)
    numbers: NDArray[np.int64] = np.cumsum(steps, axis=1)
    return numbers


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
