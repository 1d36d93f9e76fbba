"""Every change of a run's or a trial's state is made here, under the run's lock, and announced.

The end of a run is also posted to its owner, in the same transaction.
"""

from collections.abc import Iterable
from datetime import timedelta

from ngxlab_contracts.sentences import say
from ngxlab_contracts.telemetry import EndpointEvent, Event, PhaseEvent, StreamResult, TrialEnd
from ngxlab_contracts.trials import TARGET_ENDPOINT, UPSTREAM_VARIABLE_PREFIX, Endpoint, TrialSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Forbidden
from ngxlab.core.stored_json import Unreadable
from ngxlab.hosts.repository import release_leases
from ngxlab.metrics.repository import bounds
from ngxlab.outbox.models import NotificationKind
from ngxlab.outbox.repository import post
from ngxlab.runs.models import Run, Trial, TrialHost, spec_of
from ngxlab.runs.patience import REPEATABLE
from ngxlab.runs.repository import announce
from ngxlab.runs.repository import trials as trials_of
from ngxlab.runs.results.jobs import judge_later, summarise_later
from ngxlab.runs.states import (
    STATE_OF_PHASE,
    RunState,
    TrialState,
    check_run_transition,
    check_trial_transition,
)


async def move_run(
    session: AsyncSession, run: Run, wanted: RunState, *, code: str | None = None, reason: str | None = None
) -> None:
    """Raises Conflict for an impossible transition. A run in a final state releases its hosts."""
    check_run_transition(RunState(run.state), wanted)
    run.state, run.state_code, run.state_reason = wanted, code, reason
    if wanted == RunState.running:
        run.started_at = run.started_at or utcnow()
    if wanted == RunState.queued:
        run.finished_at, run.analysis, run.passed = None, None, None
        run.raw_bytes, run.packed_at = None, None
        run.paused_at, run.asks = None, None
    if wanted.final:
        run.finished_at, run.asks = utcnow(), None
        await release_leases(session, run.id)
        await post(session, NotificationKind.run_ended, run.created_by, run.id, state=wanted, reason=reason)
        await judge_later(session, run.id)
    await session.flush()
    await announce(session, run.id)


async def cancel(session: AsyncSession, run: Run, reason: str) -> None:
    """End a run of which nothing is under way, on request. One to which blocks were added is completed without them;
    one that has nothing left but profiles goes on to its end without them."""
    if await withdraw_profiles(session, run, say("Cancelled on request.")):
        return
    if run.added_to:
        await _withdraw_added(session, run)
    else:
        await move_run(session, run, RunState.cancelled, code="cancelled", reason=reason)


async def withdraw_profiles(session: AsyncSession, run: Run, reason: str) -> bool:
    """Pass over the profiles that have not begun, where nothing else is left to measure; whether that is so."""
    latest = {trial.position: trial for trial in await trials_of(session, run.id)}.values()
    profiles = [trial for trial in latest if trial.is_profile]
    measured = all(
        trial.state in {TrialState.completed, TrialState.skipped} for trial in latest if not trial.is_profile
    )
    if not profiles or not measured:
        return False
    for trial in profiles:
        if trial.state in {TrialState.pending, TrialState.lost}:
            await move_trial(session, trial, TrialState.skipped, code="profiles-withdrawn", reason=reason)
    run.cancel_requested_at, run.paused_at = None, None
    await session.flush()
    return True


async def _withdraw_added(session: AsyncSession, run: Run) -> None:
    """End an addition of blocks that was cancelled: the run is what it was, with the blocks that had begun by then.

    What had not begun is dropped, and the rest of a block that had is skipped.
    """
    attempts = [trial for trial in await trials_of(session, run.id) if trial.heat is None]
    begun = max((trial.block for trial in attempts if trial.state != TrialState.pending), default=run.blocks)
    for trial in attempts:
        if trial.block > begun:
            await session.delete(trial)
        elif trial.state == TrialState.pending:
            await move_trial(session, trial, TrialState.skipped, code="cancelled", reason=say("Cancelled on request."))
    run.blocks, run.cancel_requested_at, run.paused_at = begun, None, None
    reason = say(
        "The added blocks were cancelled on request, after block {block} of {most}.", block=begun, most=run.added_to[-1]
    )
    await move_run(session, run, RunState.completed, code="addition-cancelled", reason=reason)


async def move_trial(
    session: AsyncSession, trial: Trial, wanted: TrialState, *, code: str | None = None, reason: str | None = None
) -> None:
    """Raises Conflict for an impossible transition."""
    check_trial_transition(TrialState(trial.state), wanted)
    trial.state, trial.code, trial.reason = wanted, code, reason
    trial.phase_at = utcnow()
    if wanted == TrialState.dispatched:
        trial.dispatched_at = trial.phase_at
    if wanted.final:
        trial.finished_at = trial.phase_at
    await session.flush()
    await announce(session, trial.run_id)


_PHASE_ORDER = list(STATE_OF_PHASE)


async def advance(session: AsyncSession, trial: Trial, trial_host: TrialHost, events: Iterable[Event]) -> None:
    """Advance the trial by what its host reports: the slowest of its hosts determines the state."""
    before = _for_others(trial_host)
    for event in events:
        if isinstance(event, EndpointEvent):
            endpoint = Endpoint(name=event.name, address=event.address, ports=event.ports)
            _require_own(endpoint, spec_of(trial, trial_host))
            trial_host.endpoints = [*trial_host.endpoints, endpoint.model_dump()]
        elif isinstance(event, StreamResult):
            trial_host.ended_streams += 1
        elif isinstance(event, PhaseEvent):
            trial_host.phase = event.phase
            if event.phase == "warmup":
                trial_host.began_offset_us = trial_host.clock_offset_us
            state = state_of_slowest(trial)
            if state is not None and TrialState(trial.state).precedes(state):
                await move_trial(session, trial, state)
        elif isinstance(event, TrialEnd):
            trial_host.outcome = event.outcome
            await _end(session, trial, event)
    if len(trial.hosts) > 1 and _for_others(trial_host) != before:
        await session.flush()
        await announce(session, trial.run_id)


def _for_others(trial_host: TrialHost) -> tuple[object, ...]:
    """What the trial's other hosts wait for."""
    return trial_host.endpoints, trial_host.ended_streams, trial_host.outcome


def _require_own(endpoint: Endpoint, spec: TrialSpec) -> None:
    """A host may only announce what its spec tells it to serve, so that no host can redirect the load of others."""
    served = {
        f"{UPSTREAM_VARIABLE_PREFIX}{upstream.key}": (upstream.address, upstream.instances)
        for upstream in spec.upstream_servers
    }
    if spec.nginx is not None:
        served[TARGET_ENDPOINT] = (spec.nginx.address, spec.nginx.ports)
    if served.get(endpoint.name) != (endpoint.address, len(endpoint.ports)):
        raise Forbidden(
            "This host does not serve {name} at {address} in this trial.", name=endpoint.name, address=endpoint.address
        )


def state_of_slowest(trial: Trial) -> TrialState | None:
    """As its hosts have reported; ``None`` while one of them has reported no phase."""
    phases = [trial_host.phase for trial_host in trial.hosts if trial_host.phase is not None]
    if len(phases) < len(trial.hosts):
        return None
    return STATE_OF_PHASE[min(phases, key=_PHASE_ORDER.index)]


async def _end(session: AsyncSession, trial: Trial, event: TrialEnd) -> None:
    """One host's failure ends the trial; a trial is completed when all its hosts have completed it."""
    if TrialState(trial.state).final:
        return
    if event.outcome == "completed":
        if any(trial_host.outcome is None for trial_host in trial.hosts):
            return
        await move_trial(session, trial, TrialState.completed, **_times_of_two_clocks(trial))
    else:
        repeatable = event.outcome == "failed" and event.code in REPEATABLE
        if repeatable:
            await lose(session, trial, code=event.code, reason=event.reason)
            return
        await move_trial(session, trial, TrialState(event.outcome), code=event.code, reason=event.reason)
    await summarise_later(session, trial)


CLOCK_SET = "server-clock-set"
"""The code of a completed trial during which the server's clock was set."""
_SET_US = 1_000_000
"""Offsets are measured to milliseconds, and clocks do not drift so far within a trial."""


def _times_of_two_clocks(trial: Trial) -> dict[str, str]:
    """Code and reason of a trial whose beginning and end are told by a clock that was set between them."""
    pairs = [(share.began_offset_us, share.clock_offset_us) for share in trial.hosts]
    steps = [after - before for before, after in pairs if before is not None and after is not None]
    step_us = max(steps, key=abs, default=0)
    if abs(step_us) < _SET_US:
        return {}
    step = str(timedelta(seconds=round(abs(step_us) / 1e6)))
    how = say("forward by {step} (h:mm:ss)", step=step) if step_us > 0 else say("back by {step} (h:mm:ss)", step=step)
    reason = say(
        "The server's clock was set {how} during this trial, so that its beginning and its end are not told by the "
        "same clock. What was measured rests on the hosts' own clocks, and counts.",
        how=how,
    )
    return {"code": CLOCK_SET, "reason": reason}


WINDOW_KEPT = "window-kept"
"""The code of a trial that was disturbed after its measured window."""


async def lose(session: AsyncSession, trial: Trial, *, code: str, reason: str) -> None:
    """End a trial whose host vanished or was disturbed: it is lost, unless all that counts of it is here."""
    if await window_is_complete(session, trial):
        kept = say("{reason} Its measured window was complete by then, so it counts.", reason=reason)
        await move_trial(session, trial, TrialState.completed, code=WINDOW_KEPT, reason=kept)
    else:
        await move_trial(session, trial, TrialState.lost, code=code, reason=reason)
    await summarise_later(session, trial)


_BOUNDS_OF_WINDOW = ("measure", "cooldown")
"""Phases. ``cleanup`` says nothing: whoever fails in the window cleans up, too."""


async def window_is_complete(session: AsyncSession, trial: Trial) -> bool:
    """Whether each host has reported its whole window, and what its generators counted, none of which was killed.

    One that has not ended may have more to tell only where it is alone: others would lose what they still have to tell.
    """
    if sum(trial_host.outcome is None for trial_host in trial.hosts) > 1:
        return False
    reported = await bounds(session, trial.id)
    if not all((share.host_id, phase) in reported for share in trial.hosts for phase in _BOUNDS_OF_WINDOW):
        return False
    try:
        return all(reported[share.host_id, "whole"] >= len(spec_of(trial, share).streams) for share in trial.hosts)
    except Unreadable:
        return False
