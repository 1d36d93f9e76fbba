"""Runs as people use them: create, list, read, cancel."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from ngxlab_contracts.sentences import fixed, say
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, readable, require_owner
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict, existing
from ngxlab.core.paging import CountedPage, PageQuery
from ngxlab.core.rehearsal import require_real
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments import repository as experiments
from ngxlab.experiments.models import Experiment, ExperimentVersion, definition_of
from ngxlab.experiments.service import require_readable as require_experiment
from ngxlab.hosts.service import require_may_use
from ngxlab.runs import list_repository as history
from ngxlab.runs import planning, repository, transitions
from ngxlab.runs.calibration.scatter import learned, of_earlier_runs
from ngxlab.runs.calibration.service import setting_of_assigned
from ngxlab.runs.dispatch import refuse_older_agents
from ngxlab.runs.list_repository import RunFilter
from ngxlab.runs.models import Run, RunHost, Trial
from ngxlab.runs.preflight import refusal as preflight
from ngxlab.runs.preflight.assignment import Assigned, assign
from ngxlab.runs.presentation import is_in_queue, run_detail, run_summary
from ngxlab.runs.queue import waiting
from ngxlab.runs.repository import announce
from ngxlab.runs.schemas import ExperimentRuns, RevisionChoice, RunCreate, RunDetail, RunSummary
from ngxlab.runs.states import WAITING, RunState, TrialState
from ngxlab.runs.transitions import move_trial

_SEED_BITS = 32


@dataclass(frozen=True)
class _Startable:
    """A version of an experiment on hosts that can run it."""

    experiment: Experiment
    version: ExperimentVersion
    definition: Definition
    assigned: list[Assigned]


async def _startable(session: AsyncSession, caller: Caller, experiment_id: UUID, request: RunCreate) -> _Startable:
    """Raises NotFound, Forbidden for a host of other people, Invalid, or Conflict with the reason if a host cannot run
    it."""
    await require_experiment(session, caller, experiment_id)
    experiment = existing(await experiments.experiment(session, experiment_id), "experiment")
    if experiment.archived_at is not None:
        raise Conflict("This experiment is archived. Restore it first.", code="archived")
    if request.version is None:
        version = await experiments.latest_version(session, experiment_id)
    else:
        version = existing(await experiments.version(session, experiment_id, request.version), "version")
    definition = definition_of(version)
    assigned = await assign(session, definition, request)
    for entry in assigned:
        await require_may_use(session, caller, entry.host)
    preflight.refuse_if_impossible(definition, assigned)
    return _Startable(experiment, version, definition, assigned)


async def check(session: AsyncSession, caller: Caller, experiment_id: UUID, request: RunCreate) -> None:
    """Raises what :func:`create` would raise now."""
    await _startable(session, caller, experiment_id, request)


async def create(session: AsyncSession, caller: Caller, experiment_id: UUID, request: RunCreate) -> RunDetail:
    """Queue a run of a version of the experiment. Raises Conflict with the reason if a host cannot run it."""
    await require_real(session)
    found = await _startable(session, caller, experiment_id, request)
    experiment, version, definition, assigned = found.experiment, found.version, found.definition, found.assigned
    setting = setting_of_assigned(definition, experiment.template_key, assigned)
    known = await learned(session, await of_earlier_runs(session, experiment.id, setting), setting)
    # The lock on the experiment's row makes run numbers unique.
    await session.refresh(experiment, with_for_update={"of": type(experiment), "key_share": True})
    run = Run(
        experiment_id=experiment.id,
        experiment_version_id=version.id,
        number=await repository.next_run_number(session, experiment.id),
        state=RunState.queued,
        seed=request.seed if request.seed is not None else secrets.randbits(_SEED_BITS),
        note=request.note or None,
        tags=sorted(set(request.tags)),
        revision=_stored(request.revision),
        created_by=caller.account.id,
        state_reason=WAITING,
        blocks=definition.plan.blocks,
        builds={build: path for entry in assigned for build, path in entry.builds.items()},
        learned=[one.model_dump(mode="json") for one in known],
    )
    session.add(run)
    await session.flush()
    for entry in assigned:
        played = RunHost(run_id=run.id, slot=entry.slot, host_id=entry.host.id, address=entry.address)
        played.inventory = entry.inventory.model_dump(mode="json")
        session.add(played)
    planning.add_trials(session, run, definition)
    await session.flush()
    await session.refresh(run)
    refuse_older_agents(definition, run, profiles=definition.profile is not None)
    await waiting.offer(session, run)
    return await present(session, run, caller)


def _stored(revision: RevisionChoice | None) -> dict[str, Any] | None:
    """Nothing, where nothing is said."""
    return (revision.model_dump(exclude_none=True) if revision is not None else {}) or None


async def get(session: AsyncSession, run_id: UUID) -> Run:
    return existing(await repository.run(session, run_id), "run")


@readable("run_id")
async def require_readable(session: AsyncSession, caller: Caller, run_id: UUID) -> None:
    """Raises NotFound where its experiment belongs to a team that the caller is not in."""
    if await repository.is_hidden(session, caller, Run.id == run_id):
        existing(None, "run")


@readable("trial_id")
async def _require_readable_trial(session: AsyncSession, caller: Caller, trial_id: UUID) -> None:
    if await repository.is_hidden(session, caller, Run.id.in_(select(Trial.run_id).where(Trial.id == trial_id))):
        existing(None, "trial")


async def own_locked(session: AsyncSession, caller: Caller, run_id: UUID) -> Run:
    """Raises NotFound, and Forbidden for what belongs to somebody else."""
    run = existing(await repository.lock_run(session, run_id), "run")
    require_owner(caller, run.created_by, "run")
    return run


async def detail(session: AsyncSession, run_id: UUID, caller: Caller | None) -> RunDetail:
    return await present(session, await get(session, run_id), caller)


async def present(session: AsyncSession, run: Run, caller: Caller | None) -> RunDetail:
    """A run as its readers see it; ``caller`` decides ``may_change``."""
    wait = (await waiting.current_waits(session)).get(run.id) if is_in_queue(run) else None
    return run_detail(run, await repository.trials(session, run.id), caller, wait)


async def page(session: AsyncSession, caller: Caller, wanted: RunFilter) -> CountedPage[RunSummary]:
    runs, total = await history.page(session, caller, wanted)
    waits = await waiting.current_waits(session) if any(map(is_in_queue, runs)) else {}
    items = [run_summary(run, waits.get(run.id)) for run in runs]
    return CountedPage(items=items, total=total, next=PageQuery(wanted.start, wanted.limit).following(total))


async def by_experiment(session: AsyncSession, caller: Caller, experiment_ids: Sequence[UUID]) -> list[ExperimentRuns]:
    """The number of runs of each experiment, and its newest run. Experiments without runs are left out."""
    latest = await repository.latest_by_experiment(session, caller, experiment_ids)
    versions = await repository.counts_by_version(session, experiment_ids)
    return [
        ExperimentRuns(
            experiment_id=experiment_id,
            runs=count,
            runs_by_version=versions.get(experiment_id, {}),
            last_run=run_summary(run),
        )
        for experiment_id, (run, count) in latest.items()
    ]


async def cancel(session: AsyncSession, caller: Caller, run_id: UUID) -> RunDetail:
    """Ask for a run to end; its data is kept. Cancelling twice is harmless; a finished run raises Conflict."""
    run = await own_locked(session, caller, run_id)
    if run.cancel_requested_at is None:
        if RunState(run.state).final:
            raise Conflict("The run is already {state}.", state=fixed(run.state), code=f"run-{run.state}")
        run.cancel_requested_at = utcnow()
        if run.state == RunState.queued:
            await transitions.cancel(session, run, "Cancelled before it started.")
            if not RunState(run.state).final:
                await waiting.offer(session, run)
        else:
            await _withdraw_unclaimed(session, run)
            await announce(session, run.id)
    return await detail(session, run_id, caller)


async def _withdraw_unclaimed(session: AsyncSession, run: Run) -> None:
    """End a trial that no agent has claimed yet; a claimed one ends when its agents receive the command."""
    for trial in await repository.trials(session, run.id):
        if trial.state == TrialState.dispatched:
            await move_trial(
                session, trial, TrialState.cancelled, code="cancelled", reason=say("Cancelled before it started.")
            )


async def trial(session: AsyncSession, trial_id: UUID) -> Trial:
    return existing(await repository.trial(session, trial_id), "trial")


def run_object(run: RunSummary) -> Object:
    return Object("run", run.id, f"{run.experiment_name}, run {run.number}")


async def recorded(session: AsyncSession, caller: Caller, act: Act, run: RunDetail, **detail: Any) -> RunDetail:
    """Enter what was done to a run, with the hosts that it uses. Returns the run."""
    await record(session, caller.actor, act, run_object(run), hosts=run.hosts, **detail)
    return run
