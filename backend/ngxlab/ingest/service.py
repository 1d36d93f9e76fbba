"""What agents say about their trials: claims, batches, and the control that answers them."""

from typing import NamedTuple
from uuid import UUID

from ngxlab_contracts.telemetry import Batch, EndpointEvent, PhaseEvent, StreamResult, TrialEnd
from ngxlab_contracts.trials import (
    BACKEND_VARIABLE_PREFIX,
    TARGET_ENDPOINT,
    BatchAck,
    Endpoint,
    TrialControl,
    TrialSpec,
)
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.statistics import histograms
from ngxlab.analysis_jobs import summarise_later
from ngxlab.clock import utcnow
from ngxlab.errors import Conflict, Forbidden, Invalid, NotFound
from ngxlab.hosts.models import Host
from ngxlab.ingest import repository
from ngxlab.live.messages import live_batch_json
from ngxlab.runs import repository as runs
from ngxlab.runs.announce import announce
from ngxlab.runs.models import Run, Trial, TrialPart
from ngxlab.runs.states import REPEATABLE_CODES, STATE_OF_PHASE, TrialState
from ngxlab.runs.transitions import move_trial

_PHASE_ORDER = list(STATE_OF_PHASE)


async def _locked_part(session: AsyncSession, host: Host, trial_id: UUID) -> tuple[Run, Trial, TrialPart]:
    """Run, trial and this host's part, with the run locked. Raises NotFound if the host has no part in it."""
    run_id = await repository.run_of_part(session, trial_id, host.id)
    run = await runs.lock_run(session, run_id) if run_id else None
    trial = await runs.trial(session, trial_id) if run else None
    if run is None or trial is None:
        raise NotFound("This host has no part in such a trial.", code="unknown-trial")
    return run, trial, next(part for part in trial.parts if part.host_id == host.id)


async def claim(session: AsyncSession, host: Host, trial_id: UUID, agent_instance: UUID) -> TrialSpec:
    """Give an agent its part's spec. The same instance may ask again; anyone else gets a Conflict."""
    run, trial, part = await _locked_part(session, host, trial_id)
    if TrialState(trial.state).final:
        raise Conflict(f"The trial is {trial.state}.", code=f"trial-{trial.state}")
    if run.cancel_requested_at is not None:
        raise Conflict("The run is being cancelled.", code="run-cancelled")
    if part.outcome is not None:
        raise Conflict("This host's part of the trial is over.", code="part-over")
    if part.claimed_by is None:
        part.claimed_by = agent_instance
        if trial.state == TrialState.dispatched:
            await move_trial(session, trial, TrialState.preparing)
    elif part.claimed_by != agent_instance:
        raise Conflict("Another instance of this host's agent runs the trial.", code="already-claimed")
    return TrialSpec.model_validate(part.spec)


_UNWANTED = {TrialState.lost, TrialState.cancelled, TrialState.failed, TrialState.skipped}


def control_of(run: Run, trial: Trial, part: TrialPart) -> TrialControl:
    """What a host should do now, and what it must know of the trial's other hosts."""
    if trial.state in _UNWANTED:
        return TrialControl(command="discard")
    others = [other for other in trial.parts if other.host_id != part.host_id]
    endpoints = [Endpoint.model_validate(endpoint) for other in others for endpoint in other.endpoints]
    loading = [other for other in others if other.spec["streams"]]
    streams_done = bool(loading) and all(_has_ended_its_streams(other) for other in loading)
    return TrialControl(
        command="cancel" if run.cancel_requested_at is not None else "continue",
        start_at_us=trial.start_at_us,
        endpoints=endpoints,
        streams_done=streams_done,
        revision=len(endpoints) + (trial.start_at_us is not None) + streams_done,
    )


def _has_ended_its_streams(part: TrialPart) -> bool:
    return part.outcome is not None or part.ended_streams >= len(part.spec["streams"])


class ReceivedBatch(NamedTuple):
    """A batch, and the JSON that it was read from."""

    batch: Batch
    text: bytes


async def accept(session: AsyncSession, host: Host, trial_id: UUID, received: ReceivedBatch) -> BatchAck:
    """Store a batch once. A repeated one is acknowledged again, a gap is a Conflict that names what is missing."""
    batch = received.batch
    run, trial, part = await _locked_part(session, host, trial_id)
    part.last_batch_at = utcnow()
    if trial.state == TrialState.lost:
        return BatchAck(acked_seq=batch.seq, control=TrialControl(command="discard"))
    if batch.seq <= part.acked_seq:
        return BatchAck(acked_seq=part.acked_seq, control=control_of(run, trial, part))
    if batch.seq != part.acked_seq + 1:
        raise Conflict(f"Batch {part.acked_seq + 1} is missing before {batch.seq}.", code="batch-gap")
    _refuse_bombs(batch)
    live_seq = await announce(session, run.id, "batch", _for_viewers(trial_id, host.id, received))
    await repository.store(session, trial_id, host.id, live_seq, batch)
    part.acked_seq, part.clock_offset_us = batch.seq, batch.clock_offset_us
    await _apply(session, trial, part, batch)
    return BatchAck(acked_seq=batch.seq, control=control_of(run, trial, part))


def _refuse_bombs(batch: Batch) -> None:
    """A histogram must not unpack to more than its counts can need; it is unpacked with every reading."""
    for interval in batch.intervals:
        if interval.histogram is not None and not histograms.is_bounded(interval.histogram):
            raise Invalid(
                f"The histogram of stream {interval.stream} is no HdrHistogram of ours.", code="bad-histogram"
            )


def _for_viewers(trial_id: UUID, host_id: UUID, received: ReceivedBatch) -> str:
    """A batch as live views get it: as it came, but without the texts of kept files, which none shows."""
    batch, text = received
    events = [event for event in batch.events if event.kind != "artefact"]
    if len(events) < len(batch.events):
        text = batch.model_copy(update={"events": events}).model_dump_json().encode()
    return live_batch_json(trial_id, host_id, text)


async def _apply(session: AsyncSession, trial: Trial, part: TrialPart, batch: Batch) -> None:
    """Carry the trial forward by what its host reports: it is as far as the slowest of its hosts."""
    for event in batch.events:
        if isinstance(event, EndpointEvent):
            known = Endpoint(name=event.name, address=event.address, ports=event.ports)
            _require_own(known, TrialSpec.model_validate(part.spec))
            part.endpoints = [*part.endpoints, known.model_dump()]
        elif isinstance(event, StreamResult):
            part.ended_streams += 1
        elif isinstance(event, PhaseEvent):
            part.phase = event.phase
            state = _state_of_slowest(trial)
            if state is not None and TrialState(trial.state).precedes(state):
                await move_trial(session, trial, state)
        elif isinstance(event, TrialEnd):
            part.outcome = event.outcome
            await _end(session, trial, event)


def _require_own(endpoint: Endpoint, spec: TrialSpec) -> None:
    """A host announces what it was told to serve, where it was told to: nobody aims others' load elsewhere."""
    served = {
        f"{BACKEND_VARIABLE_PREFIX}{backend.key}": (backend.address, backend.instances) for backend in spec.backends
    }
    if spec.nginx is not None:
        served[TARGET_ENDPOINT] = (spec.nginx.address, spec.nginx.ports)
    if served.get(endpoint.name) != (endpoint.address, len(endpoint.ports)):
        raise Forbidden(f"This host does not serve {endpoint.name} at {endpoint.address} in this trial.")


def _state_of_slowest(trial: Trial) -> TrialState | None:
    phases = [part.phase for part in trial.parts if part.phase is not None]
    if len(phases) < len(trial.parts):
        return None
    return STATE_OF_PHASE[min(phases, key=_PHASE_ORDER.index)]


async def _end(session: AsyncSession, trial: Trial, event: TrialEnd) -> None:
    """One host's failure ends the trial; success needs all of them."""
    if TrialState(trial.state).final:
        return
    if event.outcome == "completed":
        if any(part.outcome is None for part in trial.parts):
            return
        await move_trial(session, trial, TrialState.completed)
    else:
        repeatable = event.outcome == "failed" and event.code in REPEATABLE_CODES
        state = TrialState.lost if repeatable else TrialState(event.outcome)
        await move_trial(session, trial, state, code=event.code, reason=event.reason)
    summarise_later(session, trial.id)


async def control(session: AsyncSession, host: Host, trial_id: UUID) -> tuple[UUID, TrialControl]:
    """The run's id and what the agent should do now. Takes no lock: the answer is a snapshot.

    Of a trial that is over nothing is wanted any more, not even of a completed one: whoever still asks then holds
    batches that were refused or are stored already, and would offer them for ever.
    """
    run_id = await repository.run_of_part(session, trial_id, host.id)
    run = await runs.run(session, run_id) if run_id else None
    trial = await runs.trial(session, trial_id) if run else None
    if run is None or trial is None:
        raise NotFound("This host has no part in such a trial.", code="unknown-trial")
    part = next(part for part in trial.parts if part.host_id == host.id)
    if trial.state == TrialState.completed and part.outcome is not None:
        return run.id, TrialControl(command="discard")
    return run.id, control_of(run, trial, part)
