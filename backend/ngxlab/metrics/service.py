"""A host's stored telemetry in one trial: as records for the analysis, and as lines and marks for charts."""

import asyncio
from collections.abc import Callable, Collection
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
from ngxlab.analysis.series.derivations import latency
from ngxlab.analysis.series.derivations.latency import NGINX_STREAM
from ngxlab.analysis.series.derivations.registry import derivations_for
from ngxlab.analysis.series.derivations.step import LayoutView
from ngxlab.analysis.series.derive import derive_all
from ngxlab.analysis.series.latency_map import latency_maps
from ngxlab.analysis.series.schemas import DerivedSeries, LatencyMap
from ngxlab.metrics import repository
from ngxlab.metrics.damage import Damage
from ngxlab.metrics.raw_data import RawData

_Derived = TypeVar("_Derived")


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
    intervals = [one for row in data.intervals[key] if (one := damage.interval(row)) is not None]
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


async def host_series(
    session: AsyncSession, host: ReportingHost, points: int, keys: Collection[str] | None = None
) -> HostSeries:
    """The derived series of a host, or only those of ``keys``, at most ``points`` a line, and its actions' marks.

    The amount of data read grows with ``points``, not with the trial's length. The derivation runs in a thread, not in
    the event loop. The lines of the target carry no host name; those of other hosts do.
    """
    label = host.name if host.spec.nginx is None else None
    damage = Damage()
    record = await _sparse_record(session, host, points, keys, damage)
    series = await _from_sound(record, damage, lambda record: derive_all(record, points, label, keys))
    unreadable = [f"{host.name}: {note.message}" for note in damage.notes()]
    return HostSeries(series, all_marks(host.name, record.events, points), unreadable)


async def host_latency_maps(session: AsyncSession, host: ReportingHost) -> list[LatencyMap]:
    """Of each stream that ran on a host."""
    damage = Damage()
    record = await _sparse_record(session, host, 1, {"latency_ms"}, damage)
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


async def _sparse_record(
    session: AsyncSession, host: ReportingHost, points: int, keys: Collection[str] | None, damage: Damage
) -> HostRecord:
    """The part of a host's record that charts with ``points`` points need."""
    key, spec = (host.trial_id, host.host_id), host.spec
    layouts = await repository.layouts(session, *key, damage)
    wanted = [layout.id for layout in layouts.values() if derivations_for(LayoutView(layout), keys)]
    frames, stride_us = await repository.sparse_frames(
        session, *key, wanted, readings=points, interval_us=spec.sampling.interval_ms * 1000
    )
    sound = (damage.frame(frame, layouts) for frame in frames)
    interval_ms = max(spec.sampling.interval_ms, stride_us // 1000)
    sampling = spec.sampling.model_copy(update={"interval_ms": interval_ms})
    intervals: list[LatencyInterval] = []
    if keys is None or not latency.KEYS.isdisjoint(keys):
        stored = [interval for _, interval in await repository.intervals(session, *key, damage)]
        intervals = _of_known_streams(host, stored)
    return HostRecord(
        host_id=host.host_id,
        spec=spec.model_copy(update={"sampling": sampling}),
        clock_offset_us=host.clock_offset_us,
        inventory=None,
        layouts=layouts,
        frames=[frame for frame in sound if frame is not None],
        intervals=intervals,
        events=[event for _, event in await repository.events(session, *key, damage)],
    )
