"""Compress the raw data of runs that are over, and derive the charts of their long trials once (ADR 9)."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.stored_json import Unreadable
from ngxlab.metrics import kept_series
from ngxlab.metrics.blocks.packing import pack_some
from ngxlab.metrics.blocks.reading import readings_by_host
from ngxlab.metrics.service import keep_series
from ngxlab.retention import repository
from ngxlab.runs import repository as runs
from ngxlab.runs.telemetry import reporting_hosts

AFTER = timedelta(minutes=10)
"""Since the end of a run: until then, people look at it, and choose another window."""


async def pack_next(session: AsyncSession) -> bool:
    """One step of the run that has waited longest; whether there was any."""
    run_id = await repository.unpacked(session, utcnow() - AFTER)
    if run_id is None:
        return await _renew_series(session)
    trial_ids = await repository.trial_ids(session, run_id)
    if not await pack_some(session, trial_ids) and not await _keep_next_series(session, trial_ids):
        await repository.note_packed(session, run_id, utcnow())
    return True


async def _keep_next_series(session: AsyncSession, trial_ids: Sequence[UUID]) -> bool:
    made = await kept_series.made(session, trial_ids)
    for trial_id, host_id, readings in await readings_by_host(session, trial_ids):
        if readings >= kept_series.LONG and (trial_id, host_id) not in made:
            await _keep_series(session, trial_id, host_id)
            return True
    return False


async def _renew_series(session: AsyncSession) -> bool:
    """Of one host in a trial, where another version derived them."""
    outdated = await kept_series.outdated(session)
    if outdated is not None:
        await _keep_series(session, *outdated)
    return outdated is not None


async def _keep_series(session: AsyncSession, trial_id: UUID, host_id: UUID) -> None:
    trial = await runs.trial(session, trial_id)
    run = await runs.run(session, trial.run_id) if trial is not None else None
    try:
        hosts = reporting_hosts(run, trial) if run is not None and trial is not None else []
    except Unreadable:  # which whoever asks for its charts is told
        hosts = []
    for host in hosts:
        if host.host_id == host_id:
            return await keep_series(session, host)
    return await kept_series.keep(session, trial_id, host_id, None, None)
