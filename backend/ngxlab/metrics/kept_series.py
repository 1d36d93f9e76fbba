"""The charts of long trials that are over, derived once: pages ask for them again and again."""

import asyncio
import json
import struct
import zlib
from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import numpy as np
from pydantic import TypeAdapter
from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab import analysis
from ngxlab.analysis.series.catalogue import UNIT_BY_KEY
from ngxlab.analysis.series.derive import Wanted, Within, downsample
from ngxlab.analysis.series.schemas import DerivedSeries
from ngxlab.metrics.blocks.readings import Readings, decode, encode
from ngxlab.metrics.models import DerivedSeriesRow

POINTS = 1000
"""The most points of a stored line: as many as the widest chart shows."""
LONG = 10_000
"""Readings of a host: with fewer, deriving is quick enough for each request."""
_WHOLE = ""
"""The key of the row that says that all of a host's charts are kept, and how their lines are labelled."""
_OF_HISTOGRAMS = "of histograms"
"""The key of the row with all points of the lines that are made of them."""
_SERIES: TypeAdapter[list[DerivedSeries]] = TypeAdapter(list[DerivedSeries])


def _digest() -> str:
    """The digest of the code and declarations that derive: what another version of them made is made again."""
    root = Path(analysis.__file__).parent
    files = (path for part in ("series", "statistics") for path in sorted((root / part).rglob("*")))
    read = (path.read_bytes() for path in files if path.suffix in {".py", ".toml"})
    return sha256(b"".join(read)).hexdigest()[:16]


DERIVED_BY = _digest()


async def read(
    session: AsyncSession, trial_id: UUID, host_id: UUID, label: str | None, wanted: Wanted
) -> list[DerivedSeries] | None:
    """Series in the catalogue's order; ``None`` where none are stored that are as fine, made by this code, and under
    this ``label``."""
    if wanted.within is not None or wanted.points > POINTS:
        return None
    row = DerivedSeriesRow
    query = select(row.key, row.content).where(row.trial_id == trial_id, row.host_id == host_id)
    query = query.where(row.derived_by == DERIVED_BY)
    if wanted.keys is not None:
        query = query.where(row.key.in_([_WHOLE, *wanted.keys]))
    else:
        query = query.where(row.key != _OF_HISTOGRAMS)
    found = {row.key: row.content for row in await session.execute(query)}
    if found.pop(_WHOLE, None) != _labelled(label):
        return None
    return await asyncio.to_thread(_read, found, wanted.points)


def _read(found: dict[str, bytes], points: int) -> list[DerivedSeries]:
    series = [one for content in found.values() for one in _SERIES.validate_json(zlib.decompress(content))]
    ordered = in_order(series)
    if points >= POINTS:
        return ordered
    return [one.model_copy(update={"points": downsample(one.points, points)}) for one in ordered]


def in_order(series: Iterable[DerivedSeries]) -> list[DerivedSeries]:
    """Series in the catalogue's order."""
    order = {key: position for position, key in enumerate(UNIT_BY_KEY)}
    return sorted(series, key=lambda one: order[one.key])


async def part(session: AsyncSession, trial_id: UUID, host_id: UUID, wanted: Wanted) -> list[DerivedSeries] | None:
    """The part of the lines that are made of histograms, as :func:`read` gives it."""
    if wanted.within is None:
        return None
    row = DerivedSeriesRow
    query = select(row.content).where(row.trial_id == trial_id, row.host_id == host_id)
    content = await session.scalar(query.where(row.key == _OF_HISTOGRAMS, row.derived_by == DERIVED_BY))
    if content is None:
        return None
    return await asyncio.to_thread(cut, content, wanted.keys, wanted.within, wanted.points)


class ToKeep(NamedTuple):
    """``series``: all, with :data:`POINTS`. ``of_histograms``: with all their points."""

    series: Sequence[DerivedSeries]
    of_histograms: Sequence[DerivedSeries]


async def keep(session: AsyncSession, trial_id: UUID, host_id: UUID, label: str | None, found: ToKeep | None) -> None:
    """Replaces what is stored. ``None`` for series that have to be derived for each request."""
    row = DerivedSeriesRow
    await session.execute(delete(row).where(row.trial_id == trial_id, row.host_id == host_id))
    contents = {_WHOLE: _NOTHING if found is None else _labelled(label)}
    if found is not None:
        contents |= await asyncio.to_thread(_contents, found.series)
        contents[_OF_HISTOGRAMS] = await asyncio.to_thread(packed, found.of_histograms)
    place = {"trial_id": trial_id, "host_id": host_id, "derived_by": DERIVED_BY}
    await session.execute(insert(row), [{**place, "key": key, "content": own} for key, own in contents.items()])


def _contents(series: Iterable[DerivedSeries]) -> dict[str, bytes]:
    by_key: dict[str, list[DerivedSeries]] = {}
    for one in series:
        by_key.setdefault(one.key, []).append(one)
    return {key: zlib.compress(_SERIES.dump_json(own)) for key, own in by_key.items()}


_NOTHING = b""


def _labelled(label: str | None) -> bytes:
    return b"target" if label is None else f"host {label}".encode()


async def made(session: AsyncSession, trial_ids: Collection[UUID]) -> set[tuple[UUID, UUID]]:
    """Trials and hosts of which this code has made what is to be kept."""
    row = DerivedSeriesRow
    query = select(row.trial_id, row.host_id).where(row.trial_id.in_(trial_ids), row.key == _WHOLE)
    rows = await session.execute(query.where(row.derived_by == DERIVED_BY))
    return {(trial, host) for trial, host in rows}


async def outdated(session: AsyncSession) -> tuple[UUID, UUID] | None:
    """A trial and a host of which another version made it."""
    row = DerivedSeriesRow
    query = select(row.trial_id, row.host_id).where(row.key == _WHOLE, row.derived_by != DERIVED_BY).limit(1)
    found = (await session.execute(query)).one_or_none()
    return None if found is None else (found[0], found[1])


_LENGTH = struct.Struct("<I")


def packed(series: Sequence[DerivedSeries]) -> bytes:
    blocks = [encode(_readings(one)) for one in series]
    facts = [[one.key, one.label, one.unit, len(block)] for one, block in zip(series, blocks, strict=True)]
    about = json.dumps(facts).encode()
    return b"".join([_LENGTH.pack(len(about)), about, *blocks])


def cut(content: bytes, keys: Collection[str] | None, within: Within, points: int) -> list[DerivedSeries]:
    """The part ``within`` of the lines of ``keys``, each of at most so many points. Lines without any are left out."""
    at = _LENGTH.size + _LENGTH.unpack_from(content)[0]
    found = []
    for key, label, unit, size in json.loads(content[_LENGTH.size : at]):
        if keys is None or key in keys:
            line = _part(decode(content[at : at + size]), within)
            if line:
                found.append(DerivedSeries(key=key, label=label, unit=unit, points=downsample(line, points)))
        at += size
    return found


def _readings(series: DerivedSeries) -> Readings:
    """As a layout of one column."""
    times, values = zip(*series.points, strict=True)
    t_us = np.rint(np.array(times) * 1e6).astype(np.int64)
    numbers = np.array(values, np.float64).reshape(-1, 1)  # None becomes NaN
    nothing = np.zeros(t_us.size, np.int64)
    return Readings(t_us, nothing, nothing, numbers, np.isnan(numbers))


def _part(line: Readings, within: Within) -> list[tuple[float, float | None]]:
    t_s = line.t_us / 1e6
    inside = (t_s >= within[0]) & (t_s <= within[1])
    values = line.values[inside, 0].tolist()
    return [(t, None if value != value else value) for t, value in zip(t_s[inside].tolist(), values, strict=True)]  # noqa: PLR0124
