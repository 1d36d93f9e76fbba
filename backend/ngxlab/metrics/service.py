"""A host's stored telemetry in one trial: as records for the analysis, and as lines and marks for charts."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.telemetry import FingerprintEvent
from ngxlab_contracts.trials import TrialSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.records.fingerprint import as_of
from ngxlab.analysis.series.action_marks import ActionMark, all_marks
from ngxlab.analysis.series.derivations import latency
from ngxlab.analysis.series.derivations.registry import derivations_for
from ngxlab.analysis.series.derivations.step import LayoutView
from ngxlab.analysis.series.derive import derive_all
from ngxlab.analysis.series.schemas import DerivedSeries
from ngxlab.metrics import repository


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
    series: list[DerivedSeries]
    actions: list[ActionMark]


async def host_record(session: AsyncSession, host: ReportingHost) -> HostRecord:
    """Everything that a host has reported in a trial."""
    key = (host.trial_id, host.host_id)
    events = [event for _, event in await repository.events(session, *key)]
    fingerprint = next((event for event in events if isinstance(event, FingerprintEvent)), None)
    return HostRecord(
        host_id=host.host_id,
        spec=host.spec,
        clock_offset_us=host.clock_offset_us,
        inventory=as_of(host.inventory, fingerprint),
        name=host.name,
        layouts=await repository.layouts(session, *key),
        frames=[frame for _, frame in await repository.frames(session, *key)],
        intervals=[interval for _, interval in await repository.intervals(session, *key)],
        events=[*events, *await repository.artefacts(session, *key)],
    )


async def host_series(
    session: AsyncSession, host: ReportingHost, points: int, keys: Collection[str] | None = None
) -> HostSeries:
    """The derived series of a host, or only those of ``keys``, at most ``points`` a line, and its actions' marks.

    The amount of data read grows with ``points``, not with the trial's length. The derivation runs in a thread, not in
    the event loop. The lines of the target carry no host name; those of other hosts do.
    """
    label = host.name if host.spec.nginx is None else None
    record = await _sparse_record(session, host, points, keys)
    series = await asyncio.to_thread(derive_all, record, points, label, keys)
    return HostSeries(series, all_marks(host.name, record.events, points))


async def _sparse_record(
    session: AsyncSession, host: ReportingHost, points: int, keys: Collection[str] | None
) -> HostRecord:
    """The part of a host's record that charts with ``points`` points need."""
    key, spec = (host.trial_id, host.host_id), host.spec
    layouts = await repository.layouts(session, *key)
    wanted = [layout.id for layout in layouts.values() if derivations_for(LayoutView(layout), keys)]
    frames, stride_us = await repository.sparse_frames(
        session, *key, wanted, readings=points, interval_us=spec.sampling.interval_ms * 1000
    )
    interval_ms = max(spec.sampling.interval_ms, stride_us // 1000)
    sampling = spec.sampling.model_copy(update={"interval_ms": interval_ms})
    with_intervals = keys is None or not latency.KEYS.isdisjoint(keys)
    return HostRecord(
        host_id=host.host_id,
        spec=spec.model_copy(update={"sampling": sampling}),
        clock_offset_us=host.clock_offset_us,
        inventory=None,
        layouts=layouts,
        frames=frames,
        intervals=[interval for _, interval in await repository.intervals(session, *key)] if with_intervals else [],
        events=[event for _, event in await repository.events(session, *key)],
    )
