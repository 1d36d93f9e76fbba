"""Delete runs, and star those that are worth keeping."""

from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from ngxlab_contracts.sentences import fixed, say
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Actor, record, system
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.core.errors import Conflict, existing
from ngxlab.core.signing import fingerprint, own_key
from ngxlab.experiments import service as experiments
from ngxlab.metrics.repository import bytes_of_database, bytes_of_tables, bytes_of_trial
from ngxlab.retention import repository
from ngxlab.retention.schemas import BackupOut, LargeRun, StorageUse
from ngxlab.runs import repository as runs
from ngxlab.runs.models import Run
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.repository import announce
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import computed
from ngxlab.runs.schemas import RunSummary
from ngxlab.runs.service import own_locked, run_object
from ngxlab.runs.states import RunState
from ngxlab.shares.repository import bytes_of_copies, count_working


async def delete(session: AsyncSession, caller: Caller, run_id: UUID, *, end_links: bool) -> None:
    """Delete a run for good, with its trials, results, files, windows and links. A calibration that came of it stays.

    Raises Conflict while it goes on, and, unless ``end_links``, while links show it.
    """
    run = await own_locked(session, caller, run_id)
    await require_over(session, run)
    links = await count_working(session, run_id)
    if links and not end_links:
        what = say("A link shows it") if links == 1 else say("{links} links show it", links=links)
        raise Conflict(
            "{what}. Revoke what is shared first, or confirm that it ends with the run.", what=what, code="run-shared"
        )
    await remove(session, run, caller.actor)


async def remove(session: AsyncSession, run: Run, by: Actor) -> None:
    """A locked run that is over, and the links that show it."""
    links = await count_working(session, run.id)
    trials = await repository.trial_ids(session, run.id)
    was, raw_bytes = run_summary(run), run.raw_bytes
    await repository.delete_run(session, run)
    await record(
        session, by, Act.run_deleted, run_object(was),
        state=was.state, version=was.version, hosts=was.hosts, headline=was.headline, started_by=was.created_by,
        created_at=was.created_at.isoformat(), trials=len(trials), raw_bytes=raw_bytes, links_ended=links or None,
    )  # fmt: skip


async def require_over(session: AsyncSession, run: Run) -> None:
    """Raises Conflict while the run goes on, or a host is still at a trial of it."""
    if not RunState(run.state).final:
        raise Conflict(
            "The run is {state}. Cancel it first, or wait for its end.", state=fixed(run.state), code=f"run-{run.state}"
        )
    if await runs.ids_of_unfinished_trials(session, run.id):
        raise Conflict("A host is still at a trial of this run. Try again in a minute.", code="trial-under-way")


async def star(session: AsyncSession, run_id: UUID, *, starred: bool) -> RunSummary | None:
    """Mark a run as worth keeping, or take the mark away. ``None`` where that is so already."""
    run = existing(await runs.lock_run(session, run_id), "run")
    if run.starred == starred:
        return None
    run.starred = starred
    await session.flush()
    await announce(session, run_id)
    return run_summary(run)


class DeletedExperiment(NamedTuple):
    """The experiment that was deleted. ``links``: the number of working ones that ended with it."""

    id: UUID
    name: str
    runs: int
    links: int
    raw_bytes: int


async def delete_experiment(
    session: AsyncSession, caller: Caller, experiment_id: UUID, *, end_links: bool
) -> DeletedExperiment:
    """Delete an experiment for good: its versions, schedules, links, and its runs with all that was measured in them.

    Raises Conflict while one of its runs goes on, while a calibration of hosts is from it, and, unless ``end_links``,
    while links show something of it; Forbidden where a run of it is somebody else's.
    """
    experiment = await experiments.get(session, experiment_id)
    require_owner(caller, experiment.created_by, "experiment")
    if await repository.calibrates(session, experiment_id):
        detail = "A calibration of hosts came of it, which other runs go by. Archive it instead."
        raise Conflict(detail, code="experiment-calibrates")
    runs = await repository.lock_runs(session, experiment_id)
    # After its runs: whoever changes a run locks the run first.
    if await repository.lock_experiment(session, experiment_id) != len(runs):
        raise Conflict("A run of it has just been started or deleted. Look again.", code="runs-changed")
    for run in runs:
        require_owner(caller, run.created_by, say("experiment's run {number}", number=run.number))
        await require_over(session, run)
    links = await repository.count_links(session, experiment_id)
    if links and not end_links:
        detail = "Links show something of it. Revoke them first, or confirm that they end with the experiment."
        raise Conflict(detail, code="experiment-shared")
    for run in runs:
        await repository.delete_run(session, run)
    await repository.delete_experiment(session, experiment_id)
    raw_bytes = sum(run.raw_bytes or 0 for run in runs)
    return DeletedExperiment(experiment_id, experiment.name, len(runs), links, raw_bytes)


async def apply_next(session: AsyncSession, days: int | None, unreadable: set[UUID]) -> bool:
    """Give up the raw data of one run that is older than ``days``; whether there was one. ``None``: there is no rule.

    Starred and shared runs are spared, and those from which a calibration came. Verdict, summaries, checks and kept
    files stay: the run is analysed once more before, so that all of them are stored. One that cannot be analysed is
    spared, too, and added to ``unreadable``: a newer version may read it.
    """
    if days is None:
        return False
    expired = await repository.oldest_expired(session, utcnow() - timedelta(days=days), unreadable)
    run = await runs.lock_run(session, expired) if expired is not None else None
    if run is None or run.starred or run.raw_removed_at is not None:
        return run is not None
    if not await remove_raw(session, run, system("rule by age"), days):
        unreadable.add(run.id)
    return True


async def remove_raw(session: AsyncSession, run: Run, by: Actor, days: int | None) -> bool:
    """Remove a locked run's raw data; whether it was analysed once more before. ``days``: the rule's age, if any."""
    if (await analyse(session, run, computed)).unreadable:
        return False
    freed, run.raw_bytes = run.raw_bytes, 0
    run.raw_removed_at, run.raw_removed_days = utcnow(), days
    await repository.discard_raw_data(session, run.id)
    await session.flush()
    await announce(session, run.id)
    await record(session, by, Act.raw_data_removed, run_object(run_summary(run)), days=days, raw_bytes=freed)
    return True


_LARGEST = 20


async def measure_next(database: Database) -> bool:
    """Measure one run, each trial in a transaction of its own; whether there was one."""
    async with database.transaction() as session:
        found = await repository.unmeasured(session)
        trials = await repository.trial_ids(session, found[0]) if found is not None else []
    if found is None:
        return False
    total = 0
    for trial_id in trials:
        async with database.transaction() as session:
            total += await bytes_of_trial(session, trial_id)
    async with database.transaction() as session:
        await repository.keep_size(session, *found, total)
    return True


async def overview(session: AsyncSession, keep_raw_days: int | None) -> StorageUse:
    return StorageUse(
        database_bytes=await bytes_of_database(session),
        raw_bytes=await bytes_of_tables(session),
        shared_bytes=await bytes_of_copies(session),
        trials_to_remove=await repository.count_discarded(session),
        runs_to_measure=await repository.count_unmeasured(session),
        keep_raw_days=keep_raw_days,
        last_backup=BackupOut.model_validate(made) if (made := await repository.last_backup(session)) else None,
        last_proof=await repository.last_proof(session),
        archive_key=fingerprint((await own_key(session)).public_key().public_bytes_raw()),
        largest=[
            LargeRun(
                id=run.id,
                experiment_name=run.version.experiment.name,
                number=run.number,
                created_by=run.author.email,
                finished_at=run.finished_at,
                starred=run.starred,
                raw_bytes=run.raw_bytes or 0,
            )
            for run in await repository.largest(session, _LARGEST)
        ],
    )
