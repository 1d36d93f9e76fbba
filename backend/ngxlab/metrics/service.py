"""Records for the analysis, and series for charts."""

import asyncio
from collections.abc import Sequence

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.trials import TrialSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.metrics import repository
from ngxlab.metrics.derive import derive_all
from ngxlab.metrics.schemas import TrialSeries
from ngxlab.runs.models import Run, Trial, TrialPart


async def _host_record(session: AsyncSession, run: Run, part: TrialPart) -> HostRecord:
    key = (part.trial_id, part.host_id)
    inventory = next((entry.inventory for entry in run.hosts if entry.host_id == part.host_id), None)
    events = [event for _, event in await repository.events(session, *key)]
    return HostRecord(
        host_id=part.host_id,
        spec=TrialSpec.model_validate(part.spec),
        clock_offset_us=part.clock_offset_us or 0,
        inventory=Inventory.model_validate(inventory) if inventory else None,
        layouts=await repository.layouts(session, *key),
        frames=[frame for _, frame in await repository.frames(session, *key)],
        intervals=[interval for _, interval in await repository.intervals(session, *key)],
        events=[*events, *await repository.artefacts(session, *key)],
    )


def target_first(parts: Sequence[TrialPart]) -> list[TrialPart]:
    """The parts of a trial, that of the target leading."""
    return sorted(parts, key=lambda part: part.spec["nginx"] is None)


async def trial_record(session: AsyncSession, run: Run, trial: Trial) -> TrialRecord:
    """Everything stored of a trial, as the analysis reads it."""
    return TrialRecord(
        trial_id=trial.id,
        arm=trial.arm,
        block=trial.block,
        position=trial.position,
        attempt=trial.attempt,
        state=trial.state,
        hosts=[await _host_record(session, run, part) for part in target_first(trial.parts)],
    )


async def trial_series(session: AsyncSession, run: Run, trial: Trial, points: int) -> TrialSeries:
    """Every derived series of a trial's target, downsampled. The work runs beside the event loop."""
    live_seq = await repository.last_live_seq(session, trial.id)
    record = await trial_record(session, run, trial)
    target = record.target
    series = await asyncio.to_thread(derive_all, target, points) if target is not None else []
    return TrialSeries(trial_id=trial.id, arm=trial.arm, block=trial.block, live_seq=live_seq, series=series)
