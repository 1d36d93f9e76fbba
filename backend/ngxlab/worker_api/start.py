"""The instant at which all hosts of a trial start."""

from uuid import UUID

from ngxlab_contracts.coordination import TrialStatus
from ngxlab_contracts.trials import TrialControl
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import now_us
from ngxlab.core.errors import Conflict, NotFound
from ngxlab.runs import repository
from ngxlab.runs.announce import announce
from ngxlab.runs.states import TrialState
from ngxlab.worker_api.leases import driven_run

_START_LEAD_US = 40_000
"""From the decision to the instant at which all hosts start. A waiting request tells them within a few ms."""


async def start_trial(session: AsyncSession, trial_id: UUID, holder: UUID) -> TrialControl:
    """Choose the instant at which all hosts start. Repeating the call gives the same instant."""
    unlocked = await repository.trial(session, trial_id)
    if unlocked is None:
        raise NotFound("There is no such trial.")
    run = await driven_run(session, unlocked.run_id, holder)
    trial = await repository.trial(session, trial_id)
    assert trial is not None  # noqa: S101 (trials are never deleted while their run is locked)
    if trial.start_at_us is None:
        if trial.state != TrialState.ready:
            raise Conflict(f"The trial is {trial.state}, not ready.", code=f"trial-{trial.state}")
        round_trips = [entry.host.clock_rtt_us or 0 for entry in run.hosts]
        trial.start_at_us = now_us() + _START_LEAD_US + 2 * max(round_trips)
        await session.flush()
        await announce(session, run.id)
    return TrialControl(start_at_us=trial.start_at_us)


def status_of(trial_id: UUID, state: TrialState) -> TrialStatus:
    return TrialStatus(trial_id=trial_id, state=state, ready=state == TrialState.ready, ended=state.final)
