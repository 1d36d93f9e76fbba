"""Trials that were given up for their host's silence, and whose host comes back with their data after all.

Such a trial goes on where its host is, unless it has been repeated meanwhile or its run is over: then its data must be
discarded, and the trial says so.
"""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.hosts.models import Host
from ngxlab.runs import repository
from ngxlab.runs.announce import announce
from ngxlab.runs.models import Run, Trial, TrialHost
from ngxlab.runs.states import RunState, TrialState
from ngxlab.runs.trial_progress import state_of_slowest

_GIVEN_UP_FOR_SILENCE = {"agent-lost", "overdue"}
_DISCARDED = "Its host came back with data of this trial later; they were discarded, as the trial was over."


async def may_return(session: AsyncSession, run: Run, trial: Trial, trial_host: TrialHost) -> bool:
    """Whether what this host still holds of a lost trial is wanted."""
    if trial.state != TrialState.lost or trial.code not in _GIVEN_UP_FOR_SILENCE or trial_host.claimed_by is None:
        return False
    if RunState(run.state).final or run.cancel_requested_at is not None or trial_host.outcome is not None:
        return False
    # The other hosts were told to discard what they had, unless they had already finished.
    others = [other for other in trial.hosts if other.host_id != trial_host.host_id]
    if any(other.outcome != "completed" for other in others):
        return False
    later = await repository.later_attempts(session, trial)
    return all(attempt.state == TrialState.pending for attempt in later)


async def reinstate(session: AsyncSession, run: Run, trial: Trial, trial_host: TrialHost) -> bool:
    """Take a lost trial back if it :func:`may_return`. Whoever calls it has locked the run."""
    if not await may_return(session, run, trial, trial_host):
        return False
    for attempt in await repository.later_attempts(session, trial):
        await session.delete(attempt)
    trial.state = state_of_slowest(trial) or TrialState.preparing
    trial.code = trial.reason = trial.finished_at = None
    trial.phase_at = trial_host.last_batch_at = utcnow()
    await session.flush()
    await announce(session, run.id)
    return True


async def after_silence(session: AsyncSession, host: Host, held: list[UUID]) -> None:
    """A host says that it holds data of these trials: it comes before the host can be given another trial."""
    if not held:
        return
    for trial_id, run_id in await repository.lost_trials_of_host(session, host.id, held):
        run = await repository.lock_run(session, run_id)
        fresh = await repository.trial(session, trial_id)
        if run is not None and fresh is not None:
            own = next(trial_host for trial_host in fresh.hosts if trial_host.host_id == host.id)
            await reinstate(session, run, fresh, own)


async def note_discarded(session: AsyncSession, trial: Trial) -> None:
    """Data of this trial were refused for good: say so where people look for what happened to it."""
    if trial.reason is None or not trial.reason.endswith(_DISCARDED):
        trial.reason = f"{trial.reason or 'The trial was lost.'} {_DISCARDED}"
        await session.flush()
        await announce(session, trial.run_id)
