"""What a host should do now in a trial: the answer to each batch and to each poll."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from ngxlab_contracts.sentences import say
from ngxlab_contracts.trials import ClaimRequest, Endpoint, TrialControl, TrialRefusal, TrialSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.errors import Conflict, NotFound
from ngxlab.core.stored_json import read
from ngxlab.hosts import availability
from ngxlab.hosts.models import Host
from ngxlab.runs import repository as runs
from ngxlab.runs.models import Run, Trial, TrialHost, spec_of
from ngxlab.runs.states import TrialState
from ngxlab.runs.transitions import move_trial
from ngxlab.runs.watch import lost_trials


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
        raise Conflict("{host} {trouble}.", host=host.name, trouble=host.conflict, code="host-conflict")
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
    reason = say("{host} does not understand this trial: {reason}", host=host.name, reason=refusal.reason)
    await move_trial(session, trial, TrialState.failed, code="not-understood", reason=reason)


UNWANTED = {TrialState.lost, TrialState.cancelled, TrialState.failed, TrialState.skipped}
"""States of a trial of which no data is wanted."""


class Other(NamedTuple):
    """Another host of a trial, as far as the first one waits for it; ``streams``: how many it has to run."""

    endpoints: Sequence[Any]
    streams: int
    ended_streams: int
    outcome: str | None

    @property
    def has_ended(self) -> bool:
        return self.outcome is not None or self.ended_streams >= self.streams


def control_of(run: Run, trial: Trial, trial_host: TrialHost) -> TrialControl:
    """What a host should do now, and what it needs to know about the trial's other hosts."""
    if trial.state in UNWANTED:
        return TrialControl(command="discard")
    return _orders_of(run, trial, trial_host)


def _orders_of(run: Run, trial: Trial, trial_host: TrialHost) -> TrialControl:
    others = [
        Other(other.endpoints, len(spec_of(trial, other).streams), other.ended_streams, other.outcome)
        for other in trial.hosts
        if other.host_id != trial_host.host_id
    ]
    return orders(others, trial.start_at_us, is_cancelled=run.cancel_requested_at is not None)


def orders(others: Sequence[Other], start_at_us: int | None, *, is_cancelled: bool) -> TrialControl:
    """What a host should do in a trial whose data is wanted."""
    endpoints = [read(Endpoint, endpoint, "An endpoint of a trial") for other in others for endpoint in other.endpoints]
    loading = [other for other in others if other.streams]
    streams_done = bool(loading) and all(other.has_ended for other in loading)
    return TrialControl(
        command="cancel" if is_cancelled else "continue",
        start_at_us=start_at_us,
        endpoints=endpoints,
        streams_done=streams_done,
        revision=len(endpoints) + (start_at_us is not None) + streams_done,
    )


async def control(session: AsyncSession, host: Host, trial_id: UUID) -> tuple[UUID, TrialControl]:
    """The run's id and what the agent should do now. Takes no lock: the answer is a snapshot.

    A trial that is over needs no more data, not even a completed one: an agent that still asks holds batches that were
    refused or are stored already, and without ``discard`` would offer them for ever.
    """
    run_id = await runs.run_of_trial_host(session, trial_id, host.id)
    run = await runs.run(session, run_id) if run_id else None
    trial = await runs.trial(session, trial_id) if run else None
    if run is None or trial is None:
        raise NotFound("This host takes no part in a trial with this id.", code="unknown-trial")
    trial_host = next(trial_host for trial_host in trial.hosts if trial_host.host_id == host.id)
    if trial.state == TrialState.completed and trial_host.outcome is not None:
        return run.id, TrialControl(command="discard")
    if await lost_trials.may_return(session, run, trial, trial_host):
        return run.id, _orders_of(run, trial, trial_host)
    return run.id, control_of(run, trial, trial_host)
