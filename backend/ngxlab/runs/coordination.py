"""The coordinator's side of a run. Each function is one transaction's worth of decision, under the run's lock."""

from datetime import timedelta
from uuid import UUID

from ngxlab_contracts.coordination import LeaseGrant, NextStep, TrialAssignment, TrialStatus
from ngxlab_contracts.trials import TrialControl
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.clock import now_us, utcnow
from ngxlab.errors import Conflict, NotFound
from ngxlab.hosts import repository as hosts
from ngxlab.runs import repository, stop_rule
from ngxlab.runs.announce import announce
from ngxlab.runs.dispatch import dispatch
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.states import MAX_ATTEMPTS, RunState, TrialState
from ngxlab.runs.transitions import move_run

LEASE_TTL = timedelta(seconds=9)
_HOST_PATIENCE = timedelta(minutes=2)
_DONE = {TrialState.completed, TrialState.skipped}
_START_LEAD_US = 40_000
"""From the decision to the instant all hosts start: they learn of it by a waiting request, in a few ms."""


async def _driven(session: AsyncSession, run_id: UUID, holder: UUID) -> Run:
    run = await repository.lock_run(session, run_id)
    if run is None:
        raise NotFound("There is no such run.")
    if run.lease_holder != holder:
        raise Conflict("Another coordinator drives this run.", code="lease-lost")
    return run


async def take_lease(session: AsyncSession, run_id: UUID, holder: UUID) -> LeaseGrant:
    """Take or renew the right to drive a run. Raises Conflict while another holds it, or if the run is over."""
    run = await repository.lock_run(session, run_id)
    if run is None:
        raise NotFound("There is no such run.")
    if RunState(run.state).final:
        raise Conflict(f"The run is {run.state}.", code=f"run-{run.state}")
    now = utcnow()
    held = run.lease_expires_at is not None and run.lease_expires_at > now
    if held and run.lease_holder != holder:
        raise Conflict("Another coordinator drives this run.", code="lease-held")
    run.lease_holder, run.lease_expires_at = holder, now + LEASE_TTL
    await hosts.renew_leases(session, run_id, LEASE_TTL * 2)
    return LeaseGrant(ttl_s=LEASE_TTL.total_seconds(), cancel_requested=run.cancel_requested_at is not None)


async def release_lease(session: AsyncSession, run_id: UUID, holder: UUID) -> None:
    """Give the right back; a lease that is already somebody else's is left alone."""
    run = await repository.lock_run(session, run_id)
    if run is not None and run.lease_holder == holder:
        run.lease_holder, run.lease_expires_at = None, None


async def next_step(session: AsyncSession, run_id: UUID, holder: UUID) -> NextStep:
    """What the coordinator must do now: watch or dispatch a trial, wait for a host, or leave."""
    run = await _driven(session, run_id, holder)
    if RunState(run.state).final:
        return NextStep(kind="finished", run_state=run.state)
    trials = list({trial.position: trial for trial in await repository.trials(session, run_id)}.values())
    under_way = next((t for t in trials if not TrialState(t.state).final and t.state != TrialState.pending), None)
    if under_way is not None:
        return _assignment(run, under_way)
    if run.cancel_requested_at:
        await move_run(session, run, RunState.cancelled, code="cancelled", reason="Cancelled on request.")
    elif (failed := next((t for t in trials if t.state == TrialState.failed), None)) is not None:
        reason = f"Trial {failed.position + 1} ({failed.arm}) failed: {failed.reason}"
        await move_run(session, run, RunState.failed, code=failed.code, reason=reason)
    elif run.paused_at:
        await hosts.release_leases(session, run.id)
        return NextStep(kind="wait", run_state="paused")
    elif (todo := next((t for t in trials if t.state not in _DONE), None)) is not None:
        return await _begin(session, run, todo)
    elif await stop_rule.add_block_if_wanted(session, run):
        return NextStep(kind="wait", run_state=run.state)
    else:
        await move_run(session, run, RunState.completed)
    return NextStep(kind="finished", run_state=run.state)


def _assignment(run: Run, trial: Trial) -> NextStep:
    host_ids = [part.host_id for part in trial.parts]
    assignment = TrialAssignment(trial_id=trial.id, host_ids=host_ids, state=trial.state)
    return NextStep(kind="trial", trial=assignment, run_state=run.state)


async def _begin(session: AsyncSession, run: Run, trial: Trial) -> NextStep:
    if trial.state in {TrialState.lost, TrialState.cancelled}:
        if trial.attempt >= MAX_ATTEMPTS:
            reason = f"Trial {trial.position + 1} ({trial.arm}) was lost {trial.attempt} times: {trial.reason}"
            await move_run(session, run, RunState.failed, code=trial.code, reason=reason)
            return NextStep(kind="finished", run_state=run.state)
        trial = _next_attempt(session, trial)
        await session.flush()
        await session.refresh(trial)
    if (obstacle := await _obstacle(session, run)) is not None:
        removed = any(entry.host.removed_at is not None for entry in run.hosts)
        if removed or (run.state == RunState.running and _gone_for_long(run)):
            await move_run(session, run, RunState.failed, code="host-unresponsive", reason=obstacle)
            return NextStep(kind="finished", run_state=run.state)
        await _say_waiting(session, run, obstacle)
        return NextStep(kind="wait", run_state=run.state)
    if run.state == RunState.queued:
        await move_run(session, run, RunState.running)
    run.state_reason = None
    await dispatch(session, run, trial)
    return _assignment(run, trial)


def _next_attempt(session: AsyncSession, trial: Trial) -> Trial:
    again = Trial(
        run_id=trial.run_id,
        position=trial.position,
        block=trial.block,
        arm=trial.arm,
        attempt=trial.attempt + 1,
        state=TrialState.pending,
    )
    session.add(again)
    return again


async def _obstacle(session: AsyncSession, run: Run) -> str | None:
    """Why no trial can begin now, or ``None`` with the hosts leased to the run."""
    now = utcnow()
    for entry in run.hosts:
        if entry.host.removed_at is not None:
            return f"{entry.host.name} was removed."
        if not hosts.is_online(entry.host.heartbeat_at, now):
            return f"{entry.host.name} is offline."
        if entry.host.draining and run.state == RunState.queued:
            return f"{entry.host.name} is draining and takes no new run."
    host_ids = list({entry.host_id for entry in run.hosts})
    # A run that has begun holds its hosts: were it to yield to an older one that is queued again, each would wait.
    if run.state == RunState.queued and (ahead := await repository.runs_ahead(session, run, host_ids)) > 0:
        return f"Queued: {ahead} {'run is' if ahead == 1 else 'runs are'} ahead on these hosts."
    if await repository.others_measure_on(session, run.id, host_ids):
        return "Another run still measures on these hosts."
    if not await hosts.acquire_leases(session, run.id, host_ids, LEASE_TTL * 2):
        return "Another run holds a host; this one starts when that has ended."
    return None


def _gone_for_long(run: Run) -> bool:
    now = utcnow()
    return any(
        entry.host.removed_at is not None
        or entry.host.heartbeat_at is None
        or now - entry.host.heartbeat_at > _HOST_PATIENCE
        for entry in run.hosts
    )


async def _say_waiting(session: AsyncSession, run: Run, obstacle: str) -> None:
    if run.state_reason != obstacle:
        run.state_reason = obstacle
        await session.flush()
        await announce(session, run.id)


async def start_trial(session: AsyncSession, trial_id: UUID, holder: UUID) -> TrialControl:
    """Choose the instant at which all hosts start. Repeating the call gives the same instant."""
    found = await repository.trial(session, trial_id)
    if found is None:
        raise NotFound("There is no such trial.")
    run = await _driven(session, found.run_id, holder)
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


def status_of(trial: Trial) -> TrialStatus:
    state = TrialState(trial.state)
    return TrialStatus(trial_id=trial.id, state=state, ready=state == TrialState.ready, ended=state.final)
