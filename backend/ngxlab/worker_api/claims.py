"""A host's agent takes a trial."""

from uuid import UUID

from ngxlab_contracts.trials import ClaimRequest, TrialRefusal, TrialSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.errors import Conflict, NotFound
from ngxlab.hosts import availability
from ngxlab.hosts.models import Host
from ngxlab.runs import repository as runs
from ngxlab.runs.models import Run, Trial, TrialHost, spec_of
from ngxlab.runs.states import TrialState
from ngxlab.runs.transitions import move_trial


async def locked_trial_host(session: AsyncSession, host_id: UUID, trial_id: UUID) -> tuple[Run, Trial, TrialHost]:
    """Run, trial and the host's part of it, with the run alone locked. Raises NotFound if the host has no part."""
    run = await runs.lock_run_of_trial_host(session, trial_id, host_id)
    trial = await runs.trial(session, trial_id) if run else None
    if run is None or trial is None:
        raise NotFound("This host takes no part in a trial with this id.", code="unknown-trial")
    return run, trial, next(trial_host for trial_host in trial.hosts if trial_host.host_id == host_id)


async def claim(session: AsyncSession, host: Host, trial_id: UUID, request: ClaimRequest) -> TrialSpec:
    """Give an agent the spec of its host's part. The same instance may ask again; any other raises Conflict.

    So does an agent that is too old for the spec.
    """
    run, trial, trial_host = await locked_trial_host(session, host.id, trial_id)
    spec, agent_instance = spec_of(trial, trial_host), request.agent_instance
    if host.conflict is not None:
        raise Conflict(f"{host.name} {host.conflict}.", code="host-conflict")
    availability.require(host, spec.requires, request.protocol)
    if TrialState(trial.state).final:
        raise Conflict(f"The trial is {trial.state}.", code=f"trial-{trial.state}")
    if run.cancel_requested_at is not None:
        raise Conflict("The run is being cancelled.", code="run-cancelled")
    if trial_host.outcome is not None:
        raise Conflict("This host has finished its part of the trial.", code="host-done")
    if trial_host.claimed_by is None:
        trial_host.claimed_by = agent_instance
        if trial.state == TrialState.dispatched:
            await move_trial(session, trial, TrialState.preparing)
    elif trial_host.claimed_by != agent_instance:
        raise Conflict("Another instance of this host's agent runs the trial.", code="already-claimed")
    return spec


async def refuse(session: AsyncSession, host: Host, trial_id: UUID, refusal: TrialRefusal) -> None:
    """End a trial that the agent which claimed it does not understand. Repeating it is harmless."""
    _, trial, trial_host = await locked_trial_host(session, host.id, trial_id)
    if trial_host.claimed_by != refusal.agent_instance:
        raise Conflict("This instance of the host's agent has not claimed the trial.", code="not-claimed")
    if trial_host.outcome is not None or TrialState(trial.state).final:
        return
    trial_host.outcome = "failed"
    reason = f"{host.name} does not understand this trial: {refusal.reason}"
    await move_trial(session, trial, TrialState.failed, code="not-understood", reason=reason)
