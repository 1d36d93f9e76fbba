"""SQL of runs and trials. Whoever changes a run or anything below it locks the run first (:func:`lock_run`)."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, bindparam, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer, raiseload

from ngxlab.accounts.access import Caller
from ngxlab.accounts.models import TeamMember
from ngxlab.core.bus import LiveMessage
from ngxlab.core.database import Database, Prepared, after_commit, bus_of
from ngxlab.core.rehearsal import is_real
from ngxlab.experiments.models import Experiment, ExperimentVersion
from ngxlab.experiments.repository import hidden
from ngxlab.runs.models import ASKED_IN_VAIN, Run, Trial, TrialHost
from ngxlab.runs.states import FINAL, UNDER_WAY, RunState, TrialState


async def run(session: AsyncSession, run_id: UUID) -> Run | None:
    return await session.get(Run, run_id)


async def lock_run(session: AsyncSession, run_id: UUID) -> Run | None:
    """The run, locked until the end of the transaction and read afresh."""
    query = select(Run).where(Run.id == run_id).with_for_update(of=Run)
    return await session.scalar(query.execution_options(populate_existing=True))


async def lock_run_row(session: AsyncSession, run_id: UUID) -> Run | None:
    """As :func:`lock_run`, without the definition and the inventories that every batch would otherwise load."""
    alone = (raiseload(Run.version), raiseload(Run.author), raiseload(Run.hosts), raiseload(Run.imported))
    query = select(Run).where(Run.id == run_id).options(*alone).with_for_update(of=Run)
    return await session.scalar(query.execution_options(populate_existing=True))


async def lock_run_of_trial_host(session: AsyncSession, trial_id: UUID, host_id: UUID) -> Run | None:
    """As :func:`lock_run_row`: the run of a trial in which the host takes part."""
    alone = (raiseload(Run.version), raiseload(Run.author), raiseload(Run.hosts))
    query = (
        select(Run)
        .join(Trial, Trial.run_id == Run.id)
        .join(TrialHost, TrialHost.trial_id == Trial.id)
        .where(TrialHost.trial_id == trial_id, TrialHost.host_id == host_id)
        .options(*alone)
        .with_for_update(of=Run)
    )
    return await session.scalar(query.execution_options(populate_existing=True))


async def raise_live_seq(session: AsyncSession, run_id: UUID) -> int:
    """The next position in the run's live stream. Holds the run's lock, so positions commit in order."""
    raising = update(Run).where(Run.id == run_id).values(live_seq=Run.live_seq + 1).returning(Run.live_seq)
    return (await session.execute(raising.execution_options(synchronize_session=False))).scalar_one()


async def live_seq(session: AsyncSession, run_id: UUID) -> int:
    """The newest position in the run's live stream; 0 where there is no such run."""
    return await session.scalar(select(Run.live_seq).where(Run.id == run_id)) or 0


async def next_run_number(session: AsyncSession, experiment_id: UUID) -> int:
    """One that no run of the experiment has had, also none that was deleted."""
    highest = select(func.coalesce(func.max(Run.number), 0)).where(Run.experiment_id == experiment_id)
    query = select(func.greatest(highest.scalar_subquery(), Experiment.deleted_number))
    return (await session.scalar(query.where(Experiment.id == experiment_id)) or 0) + 1


async def is_hidden(session: AsyncSession, caller: Caller, which: ColumnElement[bool]) -> bool:
    """Whether a caller may not read this run, since its experiment belongs to a team that they are not in."""
    query = select(Run.id).where(which, Run.experiment_id.in_(hidden(caller)))
    return await session.scalar(query) is not None


async def hidden_runs(database: Database, asked: Collection[tuple[UUID, UUID]]) -> set[tuple[UUID, UUID]]:
    """Which of these accounts may not read which of these runs, though administrators may: account and run."""
    of_teams = (
        select(Run.id, Experiment.team_id)
        .join(Experiment, Experiment.id == Run.experiment_id)
        .where(Run.id.in_({run_id for _, run_id in asked}), Experiment.team_id.is_not(None))
    )
    teams = {row.id: row.team_id for row in await database.alone(of_teams)}
    if not teams:
        return set()
    members = select(TeamMember.account_id, TeamMember.team_id).where(TeamMember.team_id.in_(teams.values()))
    inside = {(account_id, team_id) for account_id, team_id in await database.alone(members)}
    return {pair for pair in asked if pair[1] in teams and (pair[0], teams[pair[1]]) not in inside}


async def latest_by_experiment(
    session: AsyncSession, caller: Caller, experiment_ids: Sequence[UUID]
) -> dict[UUID, tuple[Run, int]]:
    """The newest run and the number of runs of each experiment that has any and that the caller may read."""
    newest = (
        select(Run.experiment_id, func.max(Run.number).label("number"), func.count().label("runs"))
        .where(Run.experiment_id.in_(experiment_ids), Run.experiment_id.not_in(hidden(caller)))
        .group_by(Run.experiment_id)
        .subquery()
    )
    same = (Run.experiment_id == newest.c.experiment_id) & (Run.number == newest.c.number)
    rows = await session.execute(select(Run, newest.c.runs).join(newest, same))
    return {run.experiment_id: (run, count) for run, count in rows}


async def counts_by_version(session: AsyncSession, experiment_ids: Sequence[UUID]) -> dict[UUID, dict[int, int]]:
    """Numbers of runs by experiment and version number. Versions without runs are absent."""
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


async def some_trials(session: AsyncSession, run_id: UUID, trial_ids: Collection[UUID]) -> Sequence[Trial]:
    """As :func:`trials`, those with these ids alone."""
    query = select(Trial).where(Trial.run_id == run_id, Trial.id.in_(trial_ids))
    query = query.order_by(Trial.position, Trial.attempt)
    return (await session.scalars(query.execution_options(populate_existing=True))).all()


async def trials_without_hosts(session: AsyncSession, run_id: UUID) -> Sequence[Trial]:
    """As :func:`trials`, without what their hosts had to do and what they have measured: all but a few of the bytes."""
    alone = (defer(Trial.summary, raiseload=True), defer(Trial.checks, raiseload=True), raiseload(Trial.hosts))
    query = select(Trial).where(Trial.run_id == run_id).order_by(Trial.position, Trial.attempt).options(*alone)
    return (await session.scalars(query.execution_options(populate_existing=True))).all()


async def trial(session: AsyncSession, trial_id: UUID) -> Trial | None:
    query = select(Trial).where(Trial.id == trial_id)
    return await session.scalar(query.execution_options(populate_existing=True))


async def news_of_trial(database: Database, trial_id: UUID, host_id: UUID) -> tuple[Any, ...]:
    """What decides what a host should do in a trial: as long as it is the same, so are its orders."""
    others = (TrialHost.trial_id == Trial.id, TrialHost.host_id != host_id)
    told = func.jsonb_build_array(TrialHost.host_id, TrialHost.outcome, TrialHost.ended_streams, TrialHost.endpoints)
    shares = select(func.jsonb_agg(aggregate_order_by(told, TrialHost.host_id))).where(*others).scalar_subquery()
    query = select(Run.cancel_requested_at, Trial.start_at_us, Trial.state.in_(FINAL), shares)
    query = query.join(Trial, Trial.run_id == Run.id).where(Trial.id == trial_id)
    return next((tuple(row) for row in await database.alone(query)), ())


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


QUIET = timedelta(seconds=30)
"""A trial whose host has sent nothing for so long is looked after."""


def to_do(quiet_since: ColumnElement[datetime]) -> Sequence[ColumnElement[bool]]:
    """Whether a run could go on and nobody drives it, whether any trial is under way, and whether nothing has come of
    any of those for a while. In a rehearsal, none of it is."""
    runs = exists().where(
        Run.state.in_((RunState.queued, RunState.running)),
        or_(Run.paused_at.is_(None), Run.cancel_requested_at.is_not(None), ASKED_IN_VAIN),
        or_(Run.lease_expires_at.is_(None), Run.lease_expires_at < func.now()),
        is_real(),
    )
    nothing_came = or_(TrialHost.last_batch_at.is_(None), TrialHost.last_batch_at < quiet_since)
    silent = exists().where(TrialHost.trial_id == Trial.id, TrialHost.outcome.is_(None), nothing_came)
    under_way = Trial.state.in_(UNDER_WAY) & is_real()
    quiet = exists().where(under_way, or_(Trial.start_at_us.is_(None), silent))
    return runs, exists().where(under_way), quiet


def anything_unfinished() -> ColumnElement[bool]:
    """Whether any run is queued or running, or any trial on its way."""
    runs = exists().where(Run.state.in_((RunState.queued, RunState.running)))
    return or_(runs, exists().where(Trial.state.in_(UNDER_WAY)))


_STATE_OF_TRIAL = Prepared(select(Trial.run_id, Trial.state).where(Trial.id == bindparam("trial_id")))


async def state_of_trial(database: Database, trial_id: UUID) -> tuple[UUID, TrialState] | None:
    """The run of a trial, and the trial's state."""
    rows = await database.ask(_STATE_OF_TRIAL, {"trial_id": trial_id})
    return next(((row["run_id"], TrialState(row["state"])) for row in rows), None)


async def lost_trials_of_host(
    session: AsyncSession, host_id: UUID, among: Sequence[UUID]
) -> Sequence[tuple[UUID, UUID]]:
    """The given trials that are lost and in which the host takes part, each with its run's id."""
    query = (
        select(Trial.id, Trial.run_id)
        .join(TrialHost, TrialHost.trial_id == Trial.id)
        .where(Trial.id.in_(among), Trial.state == TrialState.lost, TrialHost.host_id == host_id)
    )
    return [(trial_id, run_id) for trial_id, run_id in await session.execute(query)]


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


async def announce(session: AsyncSession, run_id: UUID, kind: str = "state", body: str = "") -> int:
    """Take the run's next live position and publish after the commit. Returns the position."""
    live_seq = await raise_live_seq(session, run_id)
    bus = bus_of(session)
    message = LiveMessage(live_seq, kind, body)
    after_commit(session, lambda: bus.publish(run_id, message))
    return live_seq
