"""Read the trials of a run before another window is chosen for it: who draws one mostly chooses it a moment later."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.database import Database
from ngxlab.core.stored import Unreadable
from ngxlab.metrics.raw_data import raw_data
from ngxlab.runs import repository as runs
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.results import one_trial
from ngxlab.runs.results.one_trial import StoredTrial
from ngxlab.runs.results.records_at_hand import key_of
from ngxlab.runs.results.second_processor import second_processor
from ngxlab.runs.results.trial_results import MANY, TRIALS_AT_ONCE, hosts_of

_reading: dict[UUID, asyncio.Task[None]] = {}
"""By run, in this process of the backend."""


async def read_ahead(database: Database, run_id: UUID) -> None:
    """Wait until this process or the second one has each trial of the run at hand, as far as there is room.

    Who asks while it goes on waits for the same.
    """
    if run_id not in _reading:
        task = asyncio.create_task(_read(database, run_id))
        _reading[run_id] = task
        task.add_done_callback(lambda _: _reading.pop(run_id, None))
    await being_read(run_id)


async def being_read(run_id: UUID) -> None:
    """Wait for what is being read of the run, if anything is: to read it a second time would take longer."""
    if run_id in _reading:
        await asyncio.shield(_reading[run_id])


async def _read(database: Database, run_id: UUID) -> None:
    async with database.transaction() as session:
        run = await runs.run(session, run_id)
        if run is None or run.raw_removed_at is not None:
            return
        latest = {trial.position: trial for trial in await runs.trials(session, run_id) if trial.hosts}
        missing = [trial for trial in latest.values() if (key := key_of(trial)) is not None and not _has(key)]
        if len(latest) >= MANY:
            await second_processor.started()
        for begin in range(0, len(missing), TRIALS_AT_ONCE):
            if one_trial.at_hand.is_full():
                return
            await _read_some(session, run, missing[begin : begin + TRIALS_AT_ONCE])


def _has(key: str) -> bool:
    return second_processor.has(key) or one_trial.at_hand.get(key) is not None


async def _read_some(session: AsyncSession, run: Run, trials: Sequence[Trial]) -> None:
    """Here and in the second process; each takes the next trial that is left. What fails there is read here; what
    cannot be read is left to whoever computes it, and names it."""
    hosts, data = hosts_of(run, trials), await raw_data(session, [trial.id for trial in trials])
    left = [
        StoredTrial.of(trial, of_trial, data, None)
        for trial in trials
        if not isinstance(of_trial := hosts[trial.id], Unreadable)
    ]
    failed: list[StoredTrial] = []

    async def here() -> None:
        while left:
            await asyncio.to_thread(_read_here, left.pop())

    async def beside() -> None:
        while left and second_processor.is_ready:
            if not await second_processor.read(own := left.pop()):
                failed.append(own)
                return

    await asyncio.gather(here(), beside())
    for own in failed:
        await asyncio.to_thread(_read_here, own)


def _read_here(stored: StoredTrial) -> None:
    try:
        one_trial.read(stored)
    except Exception:  # noqa: BLE001  (whoever computes the trial names what is wrong with it)
        return
