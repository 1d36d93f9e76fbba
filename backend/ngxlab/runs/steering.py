"""What people do to a run: pause, resume, end it early, skip a trial, retry failed trials, add blocks, tag it."""

from uuid import UUID

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.sentences import Sentence, fixed, say
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import ApiError, Conflict, Invalid, existing
from ngxlab.core.rehearsal import require_real
from ngxlab.core.stored_json import read
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.hosts.models import inventory_of
from ngxlab.hosts.service import require_may_use
from ngxlab.runs import planning, repository
from ngxlab.runs.calibration.service import change, facts
from ngxlab.runs.choosing import is_choosing
from ngxlab.runs.dispatch import refuse_older_agents
from ngxlab.runs.judging import blocks_wanted
from ngxlab.runs.models import Run, RunHost, Trial, definition_of, require_raw_data
from ngxlab.runs.preflight import refusal
from ngxlab.runs.preflight.assignment import Assigned
from ngxlab.runs.queue import waiting
from ngxlab.runs.repository import announce
from ngxlab.runs.schemas import MOST_OF_A_RUN, TagChange
from ngxlab.runs.service import own_locked
from ngxlab.runs.states import WAITING, RunState, TrialState
from ngxlab.runs.transitions import move_run, move_trial


async def add_blocks(session: AsyncSession, caller: Caller, run_id: UUID, blocks: int) -> bool:
    """Queue a completed run again, until it has ``blocks`` in all. Whether it was not asked for already.

    Raises Conflict with the reason where the run cannot go on as it was: it has not completed, it has as many blocks,
    its raw data was removed, a host is gone, has changed since, or cannot run it now.
    """
    await require_real(session)
    run = await own_locked(session, caller, run_id)
    if not RunState(run.state).final and run.added_to[-1:] == [blocks]:
        return False
    _refuse_what_cannot_go_on(run, blocks)
    definition = definition_of(run)
    for entry in run.hosts:
        await require_may_use(session, caller, entry.host)
    refusal.refuse_if_impossible(definition, [_as_it_was(run, entry) for entry in run.hosts])
    if run.added_to[-1:] != [blocks]:
        run.added_to = [*run.added_to, blocks]
    first, run.blocks = run.blocks + 1, blocks
    run.cancel_requested_at, run.finish_requested_at = None, None
    planning.add_trials(session, run, definition, first_block=first)
    await move_run(session, run, RunState.queued, reason=WAITING)
    await waiting.offer(session, run)
    return True


async def profile(session: AsyncSession, caller: Caller, run_id: UUID, trials: int) -> bool:
    """Queue a completed run again for profiles, until each arm has so many; whether any was added.

    No verdict counts them. Raises Conflict with the reason where the hosts cannot run them as they ran the rest.
    """
    await require_real(session)
    run = await own_locked(session, caller, run_id)
    attempts = await repository.trials(session, run_id)
    latest = list({trial.position: trial for trial in attempts}.values())
    if not RunState(run.state).final and any(trial.is_profile for trial in latest):
        return False
    definition = await _profilable(session, caller, run)
    if not planning.add_profiles(session, run, definition, latest, trials):
        return False
    run.cancel_requested_at = None
    await move_run(session, run, RunState.queued, reason=WAITING)
    await waiting.offer(session, run)
    return True


async def why_unprofiled(session: AsyncSession, caller: Caller, run_id: UUID) -> Sentence | None:
    """Why :func:`profile` would refuse a run of the caller now; ``None`` where it would not."""
    run = existing(await repository.run(session, run_id), "run")
    try:
        await require_real(session)
        require_owner(caller, run.created_by, "run")
        await _profilable(session, caller, run)
    except ApiError as refused:
        return refused.detail if isinstance(refused.detail, Sentence) else Sentence(refused.detail)
    return None


async def _profilable(session: AsyncSession, caller: Caller, run: Run) -> Definition:
    """What the run is of. Raises Conflict with the reason where its arms cannot be profiled as they were run, and
    Forbidden for hosts of other people."""
    _refuse_what_is_not_complete(run, say("The run is {state}. A completed run is profiled.", state=fixed(run.state)))
    definition = definition_of(run)
    for entry in run.hosts:
        await require_may_use(session, caller, entry.host)
    assigned = [_as_it_was(run, entry) for entry in run.hosts]
    refusal.refuse_if_impossible(definition, assigned)
    for host in assigned:
        refusal.refuse_unprofiled(host)
    refuse_older_agents(definition, run, profiles=True)
    return definition


def _refuse_what_cannot_go_on(run: Run, blocks: int) -> None:
    _refuse_what_is_not_complete(
        run, say("The run is {state}. Blocks are added to a completed run.", state=fixed(run.state))
    )
    if blocks <= run.blocks:
        raise Conflict(
            "The run has {blocks} blocks already. Ask for more in all.", blocks=run.blocks, code="no-more-blocks"
        )


def _refuse_what_is_not_complete(run: Run, detail: str) -> None:
    """Raises Conflict, with ``detail`` where that is the reason, for a run that cannot go on."""
    if run.state != RunState.completed:
        if run.state == RunState.failed:
            detail = say("{detail} Retry it first.", detail=detail)
        raise Conflict(detail, code=f"run-{run.state}")
    if run.imported is not None:
        raise Conflict("The run was imported: its hosts are elsewhere. Start a new run instead.", code="run-imported")
    if run.version.experiment.archived_at is not None:
        raise Conflict("This experiment is archived. Restore it first.", code="archived")
    require_raw_data(run)  # its trials of before and after would be read as one run


def _as_it_was(run: Run, entry: RunHost) -> Assigned:
    """The host as it is now. Raises Conflict if it is another machine, as it were, than the one that ran the rest."""
    host = entry.host
    if host.removed_at is not None:
        raise Conflict("{host} was removed. Start a new run on another host.", host=host.name, code="host-removed")
    before, now = read(Inventory, entry.inventory, f"The inventory of {host.name} in this run"), inventory_of(host)
    leading = before.nginx[0].path if before.nginx else None
    builds = run.builds if entry.slot == TARGET_SLOT else {}
    for path in {leading, *builds.values()}:
        if (what := change(facts(before, path), facts(now, path))) is not None:
            raise Conflict(
                "{host} has changed since ({what}): more blocks would not measure the same. Start a new run.",
                host=host.name,
                what=what,
                code="host-changed",
            )
    nginx = sorted(now.nginx, key=lambda binary: binary.path != leading)
    return Assigned(entry.slot, host, now.model_copy(update={"nginx": nginx}), entry.address, builds)


def _require_going_on(run: Run) -> None:
    if RunState(run.state).final:
        raise Conflict("The run is {state}.", state=fixed(run.state), code=f"run-{run.state}")


async def pause(session: AsyncSession, caller: Caller, run_id: UUID) -> None:
    """Let the trial in progress finish, start no other, and free the hosts. Pausing twice is harmless."""
    run = await own_locked(session, caller, run_id)
    _require_going_on(run)
    if run.paused_at is None:
        run.paused_at = utcnow()
        run.state_reason = say("Paused.")
        await session.flush()
        await announce(session, run.id)


async def resume(session: AsyncSession, caller: Caller, run_id: UUID) -> None:
    """Continue with the next trial as soon as the hosts are free again; also the answer to a run that asks."""
    run = await own_locked(session, caller, run_id)
    if run.paused_at is not None:
        await _go_on(session, run)
        await announce(session, run.id)


async def _go_on(session: AsyncSession, run: Run) -> None:
    run.paused_at, run.asks, run.state_reason = None, None, WAITING if run.state == RunState.queued else None
    await waiting.offer(session, run)


async def finish(session: AsyncSession, caller: Caller, run_id: UUID) -> None:
    """Complete the block in progress, drop those after it, and plan no more. A paused run goes on to that end.

    Asking twice is harmless. Raises Conflict where there is nothing to drop: before the first trial, and in the last
    block of a run that its plan ends.
    """
    run = await own_locked(session, caller, run_id)
    _require_going_on(run)
    if run.finish_requested_at is not None:
        return
    trials = await repository.trials(session, run_id)
    if is_choosing(run, definition_of(run)):
        raise Conflict("The run is still choosing its arms: cancel it instead.", code="run-is-choosing")
    trials = [trial for trial in trials if trial.heat is None]
    if any(trial.is_profile and not TrialState(trial.state).final for trial in trials):
        raise Conflict("Only profiles are left of the run: cancel it to do without them.", code="last-block")
    begun = max((trial.block for trial in trials if trial.state != TrialState.pending), default=0)
    if begun == 0:
        raise Conflict("The run has not begun to measure: cancel it instead.", code="run-not-begun")
    if begun >= blocks_wanted(run, definition_of(run).plan):
        raise Conflict("The run is in its last block and ends by itself.", code="last-block")
    for trial in trials:
        if trial.block > begun:
            await session.delete(trial)
    run.blocks, run.finish_requested_at = begun, utcnow()
    if run.paused_at is not None:
        await _go_on(session, run)
    await session.flush()
    await announce(session, run.id)


async def skip_trial(session: AsyncSession, caller: Caller, trial_id: UUID) -> UUID:
    """Continue without a trial: stop it if it is in progress, pass over it if it failed or is pending. The run's id."""
    requested = existing(await repository.trial(session, trial_id), "trial")
    run = await own_locked(session, caller, requested.run_id)
    _require_going_on(run)
    trial = await _latest(session, run, requested)
    if trial.state == TrialState.completed:
        raise Conflict("The trial is completed.", code="trial-completed")
    if trial.state != TrialState.skipped:
        await move_trial(session, trial, TrialState.skipped, code="skipped", reason=say("Skipped on request."))
    return run.id


async def retry_failed(session: AsyncSession, caller: Caller, run_id: UUID) -> None:
    """Queue a failed run again: each failed or lost trial gets another attempt, completed ones stay."""
    run = await own_locked(session, caller, run_id)
    if run.state != RunState.failed:
        raise Conflict(
            "The run is {state}. Only a failed run can be retried.", state=fixed(run.state), code=f"run-{run.state}"
        )
    if run.imported is not None:
        raise Conflict("The run was imported: its hosts are elsewhere. Start a new run instead.", code="run-imported")
    require_raw_data(run)  # its trials of before and after would be read as one run
    latest = {trial.position: trial for trial in await repository.trials(session, run_id)}
    for trial in latest.values():
        if trial.state in {TrialState.failed, TrialState.lost, TrialState.cancelled}:
            session.add(planning.next_attempt(trial))
    run.cancel_requested_at = None
    await move_run(session, run, RunState.queued, reason=WAITING)
    await waiting.offer(session, run)


async def _latest(session: AsyncSession, run: Run, trial: Trial) -> Trial:
    """The newest attempt of a trial, which replaces the earlier ones."""
    trials = await repository.trials(session, run.id)
    return max((t for t in trials if t.position == trial.position), key=lambda t: t.attempt)


async def tag(
    session: AsyncSession, caller: Caller, run_id: UUID, asked: TagChange
) -> tuple[Run, list[str], list[str]]:
    """The run with its tags, and those that were added and removed. Raises Invalid where there would be too many."""
    run = await own_locked(session, caller, run_id)
    before = set(run.tags)
    after = (before - set(asked.remove)) | set(asked.add)
    if len(after) > MOST_OF_A_RUN:
        raise Invalid("A run has at most {most} tags. Remove others first.", most=MOST_OF_A_RUN, code="too-many-tags")
    if after != before:
        run.tags = sorted(after)
        await session.flush()
        await announce(session, run_id)
    return run, sorted(after - before), sorted(before - after)
