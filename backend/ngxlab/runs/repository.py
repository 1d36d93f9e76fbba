"""SQL of runs and trials. Whoever changes a run or anything below it locks the run first (:func:`lock_run`)."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import raiseload

from ngxlab.experiments.models import ExperimentVersion
from ngxlab.runs.models import Run, Trial, TrialHost
from ngxlab.runs.states import UNDER_WAY


async def run(session: AsyncSession, run_id: UUID) -> Run | None:
    return await session.get(Run, run_id)


async def lock_run(session: AsyncSession, run_id: UUID) -> Run | None:
    """The run, locked until the end of the transaction and read afresh."""
    query = select(Run).where(Run.id == run_id).with_for_update(of=Run)
    return await session.scalar(query.execution_options(populate_existing=True))


async def lock_run_alone(session: AsyncSession, run_id: UUID) -> Run | None:
    """As :func:`lock_run`, without the definition and the inventories that every batch would otherwise load."""
    alone = (raiseload(Run.version), raiseload(Run.author), raiseload(Run.hosts))
    query = select(Run).where(Run.id == run_id).options(*alone).with_for_update(of=Run)
    return await session.scalar(query.execution_options(populate_existing=True))


async def raise_live_seq(session: AsyncSession, run_id: UUID) -> int:
    """The next position in the run's live stream. Holds the run's lock, so positions commit in order."""
    raising = update(Run).where(Run.id == run_id).values(live_seq=Run.live_seq + 1).returning(Run.live_seq)
    return (await session.execute(raising.execution_options(synchronize_session=False))).scalar_one()


async def next_run_number(session: AsyncSession, experiment_id: UUID) -> int:
    query = select(func.coalesce(func.max(Run.number), 0)).where(Run.experiment_id == experiment_id)
    return (await session.scalar(query) or 0) + 1


async def page(
    session: AsyncSession, *, experiment_id: UUID | None, limit: int, offset: int
) -> tuple[Sequence[Run], int]:
    """Runs of one experiment or of all, newest first, and the number of all matching runs."""
    query = select(Run)
    if experiment_id is not None:
        query = query.where(Run.experiment_id == experiment_id)
    total = await session.scalar(select(func.count()).select_from(query.subquery())) or 0
    newest_first = query.order_by(Run.created_at.desc()).limit(limit).offset(offset)
    return (await session.scalars(newest_first)).all(), total


async def latest_by_experiment(session: AsyncSession, experiment_ids: Sequence[UUID]) -> dict[UUID, tuple[Run, int]]:
    """For each experiment that has runs: its newest run and how many there are."""
    newest = (
        select(Run.experiment_id, func.max(Run.number).label("number"), func.count().label("runs"))
        .where(Run.experiment_id.in_(experiment_ids))
        .group_by(Run.experiment_id)
        .subquery()
    )
    same = (Run.experiment_id == newest.c.experiment_id) & (Run.number == newest.c.number)
    rows = await session.execute(select(Run, newest.c.runs).join(newest, same))
    return {run.experiment_id: (run, count) for run, count in rows}


async def counts_by_version(session: AsyncSession, experiment_ids: Sequence[UUID]) -> dict[UUID, dict[int, int]]:
    """How many runs each version has, by experiment and version number. Versions without runs are absent."""
    query = (
        select(Run.experiment_id, ExperimentVersion.number, func.count(Run.id))
        .join(ExperimentVersion, ExperimentVersion.id == Run.experiment_version_id)
        .where(Run.experiment_id.in_(experiment_ids))
        .group_by(Run.experiment_id, ExperimentVersion.number)
    )
    counts: dict[UUID, dict[int, int]] = {}
    for experiment_id, version, count in await session.execute(query):
        counts.setdefault(experiment_id, {})[version] = count
    return counts


async def trials(session: AsyncSession, run_id: UUID) -> Sequence[Trial]:
    """All trials of a run, repeated ones after their first attempt."""
    query = select(Trial).where(Trial.run_id == run_id).order_by(Trial.position, Trial.attempt)
    return (await session.scalars(query.execution_options(populate_existing=True))).all()


async def trial(session: AsyncSession, trial_id: UUID) -> Trial | None:
    query = select(Trial).where(Trial.id == trial_id)
    return await session.scalar(query.execution_options(populate_existing=True))


async def later_attempts(session: AsyncSession, trial: Trial) -> Sequence[Trial]:
    """The repetitions of a trial that were planned or begun after it."""
    same = (Trial.run_id == trial.run_id, Trial.position == trial.position, Trial.attempt > trial.attempt)
    return (await session.scalars(select(Trial).where(*same))).all()


async def run_of_trial_host(session: AsyncSession, trial_id: UUID, host_id: UUID) -> UUID | None:
    """The run of a trial in which the host takes part."""
    query = select(Trial.run_id).join(TrialHost, TrialHost.trial_id == Trial.id)
    return await session.scalar(query.where(TrialHost.trial_id == trial_id, TrialHost.host_id == host_id))


async def others_measure_on(session: AsyncSession, run_id: UUID, host_ids: Sequence[UUID]) -> bool:
    """Whether a trial of another run is in progress on one of the hosts, even if its lease has expired meanwhile."""
    query = (
        select(TrialHost.trial_id)
        .join(Trial, Trial.id == TrialHost.trial_id)
        .where(
            TrialHost.host_id.in_(host_ids),
            TrialHost.outcome.is_(None),
            Trial.run_id != run_id,
            Trial.state.in_(UNDER_WAY),
        )
    )
    return await session.scalar(query.limit(1)) is not None


async def ids_of_unfinished_trials(session: AsyncSession, run_id: UUID | None = None) -> Sequence[UUID]:
    """Trials on their way on some host, of one run or of all."""
    query = select(Trial.id).where(Trial.state.in_(UNDER_WAY))
    if run_id is not None:
        query = query.where(Trial.run_id == run_id)
    return (await session.scalars(query)).all()


async def unfinished_trials_of_host(session: AsyncSession, host_id: UUID) -> Sequence[tuple[TrialHost, UUID]]:
    """A host's shares of trials that have not ended and that it has not finished, each with its run's id."""
    query = (
        select(TrialHost, Trial.run_id)
        .join(Trial, Trial.id == TrialHost.trial_id)
        .where(TrialHost.host_id == host_id, TrialHost.outcome.is_(None), Trial.state.in_(UNDER_WAY))
    )
    return [(trial_host, run_id) for trial_host, run_id in await session.execute(query)]
