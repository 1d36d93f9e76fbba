"""Records for the analysis, and series for charts."""

import asyncio
from collections.abc import Collection, Sequence

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.trials import TrialSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.experiments.definition import Definition
from ngxlab.metrics import repository
from ngxlab.metrics.action_marks import ActionMark, all_marks
from ngxlab.metrics.derivations import latency
from ngxlab.metrics.derivations.registry import derivations_for
from ngxlab.metrics.derivations.step import LayoutView
from ngxlab.metrics.derive import derive_all
from ngxlab.metrics.derive_schemas import DerivedSeries
from ngxlab.metrics.schemas import TrialSeries
from ngxlab.runs.models import Run, Trial, TrialPart


async def _host_record(session: AsyncSession, run: Run, part: TrialPart) -> HostRecord:
    key = (part.trial_id, part.host_id)
    played = next((entry for entry in run.hosts if entry.host_id == part.host_id), None)
    events = [event for _, event in await repository.events(session, *key)]
    return HostRecord(
        host_id=part.host_id,
        spec=TrialSpec.model_validate(part.spec),
        clock_offset_us=part.clock_offset_us or 0,
        inventory=Inventory.model_validate(played.inventory) if played else None,
        name=played.host.name if played else None,
        layouts=await repository.layouts(session, *key),
        frames=[frame for _, frame in await repository.frames(session, *key)],
        intervals=[interval for _, interval in await repository.intervals(session, *key)],
        events=[*events, *await repository.artefacts(session, *key)],
    )


def in_order(run: Run, parts: Sequence[TrialPart]) -> list[TrialPart]:
    """The parts of a trial in the order of the definition's slots: the target leads."""
    slots = Definition.model_validate(run.version.definition).slots
    host_of = {entry.slot: entry.host_id for entry in run.hosts}
    rank = {host_of[slot]: position for position, slot in reversed(list(enumerate(slots)))}
    return sorted(parts, key=lambda part: rank[part.host_id])


async def trial_record(session: AsyncSession, run: Run, trial: Trial) -> TrialRecord:
    """Everything stored of a trial, as the analysis reads it."""
    return TrialRecord(
        trial_id=trial.id,
        arm=trial.arm,
        block=trial.block,
        position=trial.position,
        attempt=trial.attempt,
        state=trial.state,
        hosts=[await _host_record(session, run, part) for part in in_order(run, trial.parts)],
    )


async def trial_series(
    session: AsyncSession, run: Run, trial: Trial, points: int, keys: Collection[str] | None = None
) -> TrialSeries:
    """The derived series of all hosts of a trial, or only those of ``keys``, at most ``points`` a line, and its marks.

    What is read grows with ``points``, not with the trial. The work runs beside the event loop.
    """
    live_seq = await repository.last_live_seq(session, trial.id)
    names = {entry.host_id: entry.host.name for entry in run.hosts}
    series: list[DerivedSeries] = []
    actions: list[ActionMark] = []
    for part in in_order(run, trial.parts):
        label = names[part.host_id] if part.spec["nginx"] is None else None
        record = await _sparse_record(session, part, points, keys)
        series += await asyncio.to_thread(derive_all, record, points, label, keys)
        actions += all_marks(names[part.host_id], record.events, points)
    return TrialSeries(
        trial_id=trial.id, arm=trial.arm, block=trial.block, live_seq=live_seq, series=series, actions=actions
    )


async def _sparse_record(
    session: AsyncSession, part: TrialPart, points: int, keys: Collection[str] | None
) -> HostRecord:
    """What charts of this many points need of a host's record."""
    key = (part.trial_id, part.host_id)
    spec = TrialSpec.model_validate(part.spec)
    layouts = await repository.layouts(session, *key)
    wanted = [layout.id for layout in layouts.values() if derivations_for(LayoutView(layout), keys)]
    frames, stride_us = await repository.sparse_frames(
        session, *key, wanted, readings=points, interval_us=spec.sampling.interval_ms * 1000
    )
    interval_ms = max(spec.sampling.interval_ms, stride_us // 1000)
    sampling = spec.sampling.model_copy(update={"interval_ms": interval_ms})
    with_intervals = keys is None or not latency.KEYS.isdisjoint(keys)
    return HostRecord(
        host_id=part.host_id,
        spec=spec.model_copy(update={"sampling": sampling}),
        clock_offset_us=part.clock_offset_us or 0,
        inventory=None,
        layouts=layouts,
        frames=frames,
        intervals=[interval for _, interval in await repository.intervals(session, *key)] if with_intervals else [],
        events=[event for _, event in await repository.events(session, *key)],
    )
