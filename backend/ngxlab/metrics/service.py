"""A host's stored telemetry in one trial: as records for the analysis, and as lines and marks for charts."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar
from uuid import UUID

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.telemetry import FingerprintEvent, LatencyInterval
from ngxlab_contracts.trials import TrialSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.records.fingerprint import as_of
from ngxlab.analysis.series.action_marks import ActionMark, all_marks
from ngxlab.analysis.series.catalogue import UNIT_BY_KEY, columns_for
from ngxlab.analysis.series.derivations import latency
from ngxlab.analysis.series.derivations.latency import NGINX_STREAM
from ngxlab.analysis.series.derive import Wanted, derive_all
from ngxlab.analysis.series.latency_map import latency_maps
from ngxlab.analysis.series.schemas import DerivedSeries, LatencyMap
from ngxlab.metrics import kept_series, repository
from ngxlab.metrics.damage import Damage
from ngxlab.metrics.repository import RawData
from ngxlab.metrics.sparse import WHOLE, Narrow, Spacing, spans_of, sparse_frames

_Derived = TypeVar("_Derived")
_EVERY_POINT = 1 << 31


@dataclass(frozen=True)
class ReportingHost:
    """A host of a trial, with what is needed to interpret its telemetry. ``inventory``: as of the run's start."""

    trial_id: UUID
    host_id: UUID
    name: str
    spec: TrialSpec
    clock_offset_us: int
    inventory: Inventory | None


class HostSeries(NamedTuple):
    """``unreadable``: what of the stored data was left out, and why."""

    series: list[DerivedSeries]
    actions: list[ActionMark]
    unreadable: list[str]


def host_record(host: ReportingHost, data: RawData) -> HostRecord:
    """Everything that a host has reported in a trial; notes tell what of it cannot be read."""
    key, damage = (host.trial_id, host.host_id), Damage()
    read = (damage.stored_layout(*stored) for stored in data.layouts[key])
    layouts = {layout.id: layout for layout in read if layout is not None}
    tables = {packed.layout: damage.table(packed, layouts) for packed in data.frames[key]}
    stored = damage.all_intervals(data.intervals[key], data.interval_blocks[key])
    intervals = [one for row in stored if (one := damage.interval(row)) is not None]
    events = [event for row in data.events[key] if (event := damage.event(row)) is not None]
    fingerprint = next((event for event in events if isinstance(event, FingerprintEvent)), None)
    return HostRecord(
        host_id=host.host_id,
        spec=host.spec,
        clock_offset_us=host.clock_offset_us,
        inventory=as_of(host.inventory, fingerprint),
        name=host.name,
        layouts=layouts,
        frames=[],
        intervals=damage.sound_histograms(_of_known_streams(host, intervals)),
        events=[*events, *damage.notes(), *data.artefacts[key]],
        tables={layout: table for layout, table in tables.items() if table is not None},
    )


async def host_series(session: AsyncSession, host: ReportingHost, wanted: Wanted) -> HostSeries:
    """The derived series of a host, and its actions' marks.

    The amount of data read grows with the points, not with the trial's length. The derivation runs in a thread, not in
    the event loop. The lines of the target carry no host name; those of other hosts do.
    """
    key = (host.trial_id, host.host_id)
    kept = await kept_series.read(session, *key, _label(host), wanted)
    if kept is not None:
        events = [event for _, event in await repository.events(session, *key, Damage())]
        return HostSeries(kept, all_marks(host.name, events, wanted.points), [])
    of_histograms = await kept_series.part(session, *key, wanted)
    if of_histograms is None:
        return await _derived(session, host, wanted)
    of_readings = set(UNIT_BY_KEY if wanted.keys is None else wanted.keys) - latency.KEYS
    rest = await _derived(session, host, wanted._replace(keys=of_readings))
    return rest._replace(series=kept_series.in_order([*of_histograms, *rest.series]))


async def _derived(session: AsyncSession, host: ReportingHost, wanted: Wanted) -> HostSeries:
    """As :func:`host_series`, from raw data in any case."""
    damage, label = Damage(), _label(host)
    points, keys, within = wanted
    record = await _sparse_record(session, host, wanted, damage)
    series = await _from_sound(record, damage, lambda record: derive_all(record, points, label, keys, within))
    unreadable = [f"{host.name}: {note.message}" for note in damage.notes()]
    return HostSeries(series, all_marks(host.name, record.events, points), unreadable)


async def keep_series(session: AsyncSession, host: ReportingHost) -> None:
    """Derive all series of a trial that is over, and keep them for :func:`host_series`."""
    series, _, unreadable = await _derived(session, host, Wanted(kept_series.POINTS))
    of_histograms = await _derived(session, host, Wanted(_EVERY_POINT, latency.KEYS))
    kept = None if unreadable else kept_series.ToKeep(series, of_histograms.series)
    await kept_series.keep(session, host.trial_id, host.host_id, _label(host), kept)


def _label(host: ReportingHost) -> str | None:
    return host.name if host.spec.nginx is None else None


async def host_latency_maps(session: AsyncSession, host: ReportingHost) -> list[LatencyMap]:
    """A map for each stream that ran on the host."""
    damage = Damage()
    record = await _sparse_record(session, host, Wanted(1, {"latency_ms"}), damage)
    return await _from_sound(record, damage, latency_maps)


async def _from_sound(record: HostRecord, damage: Damage, derive: Callable[[HostRecord], _Derived]) -> _Derived:
    """Histograms are the one thing that is not read before it is used: if one is damaged, what the others say."""
    try:
        return await asyncio.to_thread(derive, record)
    except Exception:  # noqa: BLE001 (whatever reading of damaged histograms raises)
        sound = replace(record, intervals=await asyncio.to_thread(damage.sound_histograms, record.intervals))
        return await asyncio.to_thread(derive, sound)


def _of_known_streams(host: ReportingHost, intervals: list[LatencyInterval]) -> list[LatencyInterval]:
    known = {NGINX_STREAM, *(stream.key for stream in host.spec.streams)}
    return [interval for interval in intervals if interval.stream in known]


async def _sparse_record(session: AsyncSession, host: ReportingHost, wanted: Wanted, damage: Damage) -> HostRecord:
    """The part of a host's record that charts need."""
    key, spec = (host.trial_id, host.host_id), host.spec
    points, keys, within = wanted
    events = [event for _, event in await repository.events(session, *key, damage)]
    spans = spans_of(spec, events, within, points) if within is not None else None
    layouts = await repository.layouts(session, *key, damage)
    useful = ((layout, columns_for(layout, keys)) for layout in layouts.values())
    narrow = {layout.id: Narrow.of(layout, columns) for layout, columns in useful if columns}
    spacing = Spacing(points, spec.sampling.interval_ms * 1000, (WHOLE,) if spans is None else spans)
    sparse = await sparse_frames(session, key, narrow, spacing, damage)
    interval_ms = max(spec.sampling.interval_ms, sparse.stride_us // 1000)
    sampling = spec.sampling.model_copy(update={"interval_ms": interval_ms})
    intervals: list[LatencyInterval] = []
    if keys is None or not latency.KEYS.isdisjoint(keys):
        span = None if spans is None else spans[-1]
        stored = [interval for _, interval in await repository.intervals(session, *key, damage, span)]
        intervals = _of_known_streams(host, stored)
    return HostRecord(
        host_id=host.host_id,
        spec=spec.model_copy(update={"sampling": sampling}),
        clock_offset_us=host.clock_offset_us,
        inventory=None,
        layouts=layouts | {id_: own.layout for id_, own in narrow.items()},
        frames=[],
        tables=sparse.tables,
        intervals=intervals,
        events=events,
    )
