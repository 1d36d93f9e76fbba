"""What a coordinator must do next. Each decision is one transaction, under the run's lock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from ngxlab_contracts.coordination import LeaseGrant, NextStep, TrialAssignment, TrialStatus
from ngxlab_contracts.sentences import say
from ngxlab_contracts.trials import TrialControl
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.schemas import RunAnalysis
from ngxlab.analysis.verdict.stopping import Stop, decided_or_hopeless, precise_enough
from ngxlab.core.clock import now_us, utcnow
from ngxlab.core.errors import Conflict, existing
from ngxlab.core.rehearsal import rehearsed
from ngxlab.core.stored_json import Unreadable
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.plan import FixedBlocks, StopRule, UntilDecided, UntilPrecise
from ngxlab.hosts import availability
from ngxlab.hosts import repository as hosts
from ngxlab.hosts.models import Host
from ngxlab.runs import first_trials, patience, planning, repository
from ngxlab.runs.choosing import is_choosing, judge_heat
from ngxlab.runs.coordinators import LEASE_TTL
from ngxlab.runs.dispatch import dispatch, refuse_older_agents
from ngxlab.runs.judging import blocks_wanted
from ngxlab.runs.models import Run, Trial, definition_of
from ngxlab.runs.patience import GiveUp, Loss
from ngxlab.runs.queue.waiting import current_waits
from ngxlab.runs.repository import announce
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import kept, settled
from ngxlab.runs.states import RunState, TrialState
from ngxlab.runs.transitions import cancel, move_run, withdraw_profiles
from ngxlab.runs.watch.lost_trials import HeardSince


async def driven_run(session: AsyncSession, run_id: UUID, holder: UUID) -> Run:
    """The run, locked. Raises Conflict unless ``holder`` holds its lease."""
    run = existing(await repository.lock_run(session, run_id), "run")
    if run.lease_holder != holder:
        raise Conflict("Another coordinator drives this run.", code="lease-lost")
    return run


async def take_lease(session: AsyncSession, run_id: UUID, holder: UUID) -> LeaseGrant:
    """Take or renew the right to drive a run. Raises Conflict if another holder has it or the run is over."""
    run = existing(await repository.lock_run(session, run_id), "run")
    if RunState(run.state).final:
        raise Conflict(f"The run is {run.state}.", code=f"run-{run.state}")
    now = utcnow()
    held = run.lease_expires_at is not None and run.lease_expires_at > now
    if held and run.lease_holder != holder:
        raise Conflict("Another coordinator drives this run.", code="lease-held")
    run.lease_holder, run.lease_expires_at, run.hinted_at = holder, now + LEASE_TTL, None
    await hosts.renew_leases(session, run_id, LEASE_TTL * 2)
    return LeaseGrant(ttl_s=LEASE_TTL.total_seconds(), cancel_requested=run.cancel_requested_at is not None)


async def release_lease(session: AsyncSession, run_id: UUID, holder: UUID) -> None:
    """Release the right to drive a run; has no effect if another holder has it already."""
    run = await repository.lock_run(session, run_id)
    if run is not None and run.lease_holder == holder:
        run.lease_holder, run.lease_expires_at = None, None


async def next_step(session: AsyncSession, run_id: UUID, holder: UUID, heard_since: HeardSince) -> NextStep:
    """What the coordinator must do now: watch or dispatch a trial, wait for a host, or leave.

    ``heard_since``: since when the backend has been able to hear hosts.
    """
    run = await driven_run(session, run_id, holder)
    if RunState(run.state).final:
        return NextStep(kind="finished", run_state=run.state)
    if run.cancel_requested_at is None and await rehearsed(session) is not None:
        return NextStep(kind="wait", run_state="paused")
    try:
        async with session.begin_nested():
            return await _next(session, run, heard_since)
    except Unreadable as error:  # it will not become readable by asking again
        await move_run(session, run, RunState.failed, code=error.code, reason=error.detail)
        return NextStep(kind="finished", run_state=run.state)


async def _next(session: AsyncSession, run: Run, heard_since: HeardSince) -> NextStep:
    attempts = await repository.trials_without_hosts(session, run.id)
    trials = list({trial.position: trial for trial in attempts}.values())
    under_way = next((t for t in trials if not TrialState(t.state).final and t.state != TrialState.pending), None)
    if under_way is not None:
        return _assignment(run, await _whole(session, under_way))
    if run.cancel_requested_at:
        await cancel(session, run, say("Cancelled on request."))
        if not RunState(run.state).final:
            return NextStep(kind="wait", run_state=run.state)
    elif (failed := next((t for t in trials if t.state == TrialState.failed and not t.is_profile), None)) is not None:
        reason = say(
            "Trial {number} ({arm}) failed: {reason}",
            number=failed.position + 1,
            arm=failed.arm,
            reason=failed.reason or "",
        )
        await move_run(session, run, RunState.failed, code=failed.code, reason=reason)
    elif run.paused_at:
        return await _paused(session, run)
    elif (todo := next((t for t in trials if not t.is_done), None)) is not None:
        if (step := await _hold(session, run, attempts, todo)) is not None:
            return step
        return await _begin(session, run, await _whole(session, todo), heard_since)
    elif run.finish_requested_at is not None:
        planned = blocks_wanted(run, definition_of(run).plan)
        reason = say("Ended early on request, after block {block} of {planned}.", block=run.blocks, planned=planned)
        await move_run(session, run, RunState.completed, code="finished-early", reason=reason)
    elif await goes_on(session, run):
        return NextStep(kind="wait", run_state=run.state)
    return NextStep(kind="finished", run_state=run.state)


async def _hold(session: AsyncSession, run: Run, attempts: Sequence[Trial], todo: Trial) -> NextStep | None:
    """What has to be waited for before the next trial; ``None``: nothing."""
    if todo.state in {TrialState.lost, TrialState.cancelled}:
        return await _repeat_or_not(session, run, [trial for trial in attempts if trial.position == todo.position])
    if await first_trials.ask(session, run, attempts, patience_of(run)):
        return await _paused(session, run)
    return None


async def _paused(session: AsyncSession, run: Run) -> NextStep:
    """Nothing is done, and the hosts are free, unless the run asks and nobody has answered for long enough."""
    if (reason := first_trials.unanswered(run)) is not None:
        await move_run(session, run, RunState.failed, code=first_trials.CODE, reason=reason)
        return NextStep(kind="finished", run_state=run.state)
    await hosts.release_leases(session, run.id)
    return NextStep(kind="wait", run_state="paused")


async def _whole(session: AsyncSession, trial: Trial) -> Trial:
    """The one trial of which more is asked than its state."""
    whole = await repository.trial(session, trial.id)
    assert whole is not None  # noqa: S101 (trials are never deleted while their run is locked)
    return whole


def _assignment(run: Run, trial: Trial) -> NextStep:
    host_ids = [trial_host.host_id for trial_host in trial.hosts]
    assignment = TrialAssignment(trial_id=trial.id, host_ids=host_ids, state=trial.state)
    return NextStep(kind="trial", trial=assignment, run_state=run.state)


async def _repeat_or_not(session: AsyncSession, run: Run, lost: Sequence[Trial]) -> NextStep | None:
    """``None``: the last of these attempts is to be repeated now."""
    last, now = lost[-1], utcnow()
    losses = [Loss(trial.finished_at or now, trial.code or "", trial.reason or "") for trial in lost]
    verdict = patience.after(losses, patience_of(run))
    if isinstance(verdict, GiveUp):
        reason = say("Trial {number} ({arm}) {reason}", number=last.position + 1, arm=last.arm, reason=verdict.reason)
        return await _give_up(session, run, last, last.code, reason)
    if verdict.at <= now:
        return None
    what = "a profile" if last.is_profile else f"trial {last.position + 1}"
    await _say_waiting(session, run, f"Waits to repeat {what} ({last.arm}): {last.reason}")
    return NextStep(kind="wait", run_state=run.state)


async def _begin(session: AsyncSession, run: Run, trial: Trial, heard_since: HeardSince) -> NextStep:
    if trial.state in {TrialState.lost, TrialState.cancelled}:
        trial = planning.next_attempt(trial)
        session.add(trial)
        await session.flush()
        await session.refresh(trial)
    if (reason := await obstacle(session, run)) is not None:
        removed = any(entry.host.removed_at is not None for entry in run.hosts)
        if removed or (run.state == RunState.running and host_is_gone_for_long(run, heard_since)):
            return await _give_up(session, run, trial, "host-unresponsive", reason)
        await _say_waiting(session, run, reason)
        return NextStep(kind="wait", run_state=run.state)
    try:
        refuse_older_agents(definition_of(run), run, profiles=trial.is_profile)
    except Conflict as error:  # an agent was replaced by an older one after the run was asked for
        return await _give_up(session, run, trial, error.code, error.detail)
    if run.state == RunState.queued:
        await move_run(session, run, RunState.running)
    run.state_reason = None
    await dispatch(session, run, trial)
    return _assignment(run, trial)


async def _give_up(session: AsyncSession, run: Run, trial: Trial, code: str | None, reason: str) -> NextStep:
    """The run fails, since this trial cannot be had; where it is a profile, the run goes on without profiles."""
    if trial.is_profile and await withdraw_profiles(session, run, reason):
        return NextStep(kind="wait", run_state=run.state)
    await move_run(session, run, RunState.failed, code=code, reason=reason)
    return NextStep(kind="finished", run_state=run.state)


async def _say_waiting(session: AsyncSession, run: Run, reason: str) -> None:
    if run.state_reason != reason:
        run.state_reason = reason
        await session.flush()
        await announce(session, run.id)


_LEAST_PATIENCE = timedelta(minutes=5)
"""Longer than a silent host keeps its trial (``runs.watch.lost_trials``): the run then waits for the host."""


def patience_of(run: Run) -> timedelta:
    """How long the run waits out a fault of its surroundings."""
    return max(_LEAST_PATIENCE, timedelta(minutes=definition_of(run).plan.patience_min))


async def obstacle(session: AsyncSession, run: Run) -> str | None:
    """Why no trial can start now, or ``None`` after the hosts have been leased to the run."""
    now = utcnow()
    for entry in run.hosts:
        if reason := _absence(entry.host, now):
            return f"Waits for host {entry.host.name}: it {reason}."
    # A run that has begun keeps its hosts: if it yielded to an older run that is queued again, each would wait.
    if run.state == RunState.queued and (wait := (await current_waits(session)).get(run.id)) is not None:
        return wait.reason
    host_ids = list({entry.host_id for entry in run.hosts})
    if await repository.others_measure_on(session, run.id, host_ids):
        return "Another run is still measuring on these hosts."
    if not await hosts.acquire_leases(session, run.id, host_ids, LEASE_TTL * 2):
        return "Another run holds one of the hosts; this run starts when that run has ended."
    return None


def _absence(host: Host, now: datetime) -> str | None:
    return availability.absence(host, now) or availability.trouble(host) or availability.hindrance(host)


def host_is_gone_for_long(run: Run, heard_since: HeardSince) -> bool:
    """Whether a host of the run was removed, or has been silent for longer than the run is patient.

    ``heard_since``: silence counts from here at the earliest, since a backend that was itself away has heard nobody.
    """
    now = utcnow()
    patient = patience_of(run)
    since = heard_since()  # asked last, so that a clock that is set meanwhile is noticed
    return any(
        entry.host.removed_at is not None or now - max(entry.host.heartbeat_at or since, since) > patient
        for entry in run.hosts
    )


async def goes_on(session: AsyncSession, run: Run) -> bool:
    """Whether another block was planned, or it cannot be said yet: a trial may still be computed, and its end is
    announced. Else the run is completed. Call it under the run's lock, when every planned trial is done."""
    definition = definition_of(run)
    plan = definition.plan
    if is_choosing(run, definition):
        return await _choose(session, run, definition)
    asked_for = run.added_to[-1] if run.added_to else plan.most_blocks
    if isinstance(plan.stop, FixedBlocks) or run.blocks >= min(asked_for, plan.most_blocks):
        return await _profiles_follow(session, run)
    if not await settled(session, run):
        return True
    results = await analyse(session, run, kept)
    if (stop := _stop(results.analysis, plan.stop)) is not None:
        reason = say(
            "Ended after block {block} of at most {most}: {why}", block=run.blocks, most=plan.most_blocks, why=stop.why
        )
        return await _profiles_follow(session, run, code=stop.code, reason=reason)
    if any(trial.is_profile for trial in await repository.trials_without_hosts(session, run.id)):
        return await _profiles_follow(session, run)  # the blocks were over before: whatever ended them
    run.blocks += 1
    planning.add_trials(session, run, definition, first_block=run.blocks)
    await session.flush()
    await announce(session, run.id)
    return True


async def _choose(session: AsyncSession, run: Run, definition: Definition) -> bool:
    """Whether the run goes on after a heat: the arms that are left have the next one, or all blocks."""
    if not await settled(session, run):
        return True
    latest = {trial.position: trial for trial in await repository.trials(session, run.id) if trial.hosts}
    trials = list(latest.values())
    found = (await kept(session, run, trials)).items()
    summaries = {trial_id: one[0] for trial_id, one in found if not isinstance(one, Exception)}
    if not judge_heat(run, definition, trials, summaries):
        reason = say("No arm beside the baseline had a usable trial in heat {number}.", number=len(run.selection) + 1)
        await move_run(session, run, RunState.failed, code="no-arm-left", reason=reason)
        return False
    planning.add_trials(session, run, definition)
    await session.flush()
    await announce(session, run.id)
    return True


async def _profiles_follow(
    session: AsyncSession, run: Run, *, code: str | None = None, reason: str | None = None
) -> bool:
    """Whether the profiles of the plan were added now that all is measured; otherwise the run is completed."""
    definition = definition_of(run)
    trials = list({trial.position: trial for trial in await repository.trials_without_hosts(session, run.id)}.values())
    wanted = definition.profile.trials if definition.profile is not None else 0
    if wanted and not any(trial.is_profile for trial in trials):
        planning.add_profiles(session, run, definition, trials, wanted)
        await session.flush()
        await announce(session, run.id)
        return True
    await move_run(session, run, RunState.completed, code=code, reason=reason)
    return False


def _stop(analysis: RunAnalysis, rule: StopRule) -> Stop | None:
    if isinstance(rule, UntilPrecise):
        enough, _ = precise_enough(analysis, rule.metric, rule.half_width_percent)
        return Stop("precise", say("the interval is narrow enough.")) if enough else None
    return decided_or_hopeless(analysis, rule.hopeless_percent) if isinstance(rule, UntilDecided) else None


_START_LEAD_US = 40_000
"""From the decision to the instant at which all hosts start. A waiting request tells them within a few ms."""


async def start_trial(session: AsyncSession, trial_id: UUID, holder: UUID) -> TrialControl:
    """Choose the instant at which all hosts start. Repeating the call gives the same instant."""
    unlocked = existing(await repository.trial(session, trial_id), "trial")
    run = await driven_run(session, unlocked.run_id, holder)
    trial = await repository.trial(session, trial_id)
    assert trial is not None  # noqa: S101 (trials are never deleted while their run is locked)
    if trial.start_at_us is None:
        if trial.state != TrialState.ready:
            raise Conflict("The trial is {state}, not ready.", state=trial.state, code=f"trial-{trial.state}")
        round_trips = [entry.host.clock_rtt_us or 0 for entry in run.hosts]
        trial.start_at_us = now_us() + _START_LEAD_US + 2 * max(round_trips)
        await session.flush()
        await announce(session, run.id)
    return TrialControl(start_at_us=trial.start_at_us)


def status_of(trial_id: UUID, state: TrialState) -> TrialStatus:
    return TrialStatus(trial_id=trial_id, state=state, ready=state == TrialState.ready, ended=state.final)
