"""SQL of the queue: light columns only, since it is read every second and holds hundreds of runs."""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import groupby
from uuid import UUID

from sqlalchemy import Select, func, or_, select, union, update
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.experiments.models import Experiment
from ngxlab.hosts import availability
from ngxlab.hosts.models import Host, HostLease
from ngxlab.runs.models import ASKED_IN_VAIN, Run, RunHost, Trial, TrialHost
from ngxlab.runs.queue.order import Holder, QueuedHost, QueuedRun
from ngxlab.runs.states import UNDER_WAY, RunState

_HOST = (
    Host.name,
    Host.heartbeat_at,
    Host.removed_at,
    Host.draining,
    Host.agent_version,
    Host.protocol,
    Host.conflict,
    Host.broker_trouble,
    Host.broker_trouble_since,
    Host.disk_trouble,
)


async def queue(session: AsyncSession) -> list[QueuedRun]:
    """Queued runs that are not paused, oldest first. One with a removed host is left out: it has to be ended."""
    now = utcnow()
    query = (
        select(Run.id, RunHost.host_id, *_HOST)
        .join(RunHost, RunHost.run_id == Run.id)
        .join(Host, Host.id == RunHost.host_id)
        .where(Run.state == RunState.queued, Run.paused_at.is_(None))
        .order_by(Run.created_at, Run.id, RunHost.slot)
    )
    found = []
    for run_id, rows in groupby(await session.execute(query), lambda row: row.id):
        places = list(rows)
        if all(row.removed_at is None for row in places):
            hosts = [QueuedHost(row.host_id, row.name, availability.refusal(row, now)) for row in places]
            found.append(QueuedRun(run_id, tuple(dict.fromkeys(hosts))))
    return found


async def holders(session: AsyncSession) -> dict[UUID, Holder]:
    """The run that uses each host: it holds a lease, or still measures there though its lease has expired."""
    leased: Select[UUID, UUID] = select(HostLease.host_id, HostLease.run_id).where(HostLease.expires_at > func.now())
    measuring: Select[UUID, UUID] = (
        select(TrialHost.host_id, Trial.run_id)
        .join(Trial, Trial.id == TrialHost.trial_id)
        .where(TrialHost.outcome.is_(None), Trial.state.in_(UNDER_WAY))
    )
    users = union(leased, measuring).subquery()
    query = (
        select(users.c.host_id, Run.id, Experiment.name, Run.number, Experiment.team_id)
        .join(Run, Run.id == users.c.run_id)
        .join(Experiment, Experiment.id == Run.experiment_id)
    )
    rows = await session.execute(query)
    return {
        host_id: Holder(run_id, f"{name} #{number}" if team is None else "a run of a team")
        for host_id, run_id, name, number, team in rows
    }


async def undriven(session: AsyncSession, hinted_before: datetime | None) -> Sequence[UUID]:
    """Runs that are queued or go on, and that no coordinator drives, oldest first; whether they wait is not asked.

    Those with a hint are left out, unless it was sent before ``hinted_before``.
    """
    unhinted = Run.hinted_at.is_(None)
    query = select(Run.id).where(
        Run.state.in_((RunState.queued, RunState.running)),
        or_(Run.paused_at.is_(None), Run.cancel_requested_at.is_not(None), ASKED_IN_VAIN),
        or_(Run.lease_expires_at.is_(None), Run.lease_expires_at < func.now()),
        unhinted if hinted_before is None else or_(unhinted, Run.hinted_at < hinted_before),
    )
    return (await session.scalars(query.order_by(Run.created_at))).all()


async def note_hints(session: AsyncSession, run_ids: Collection[UUID]) -> None:
    """Note that coordinators are told of these runs now."""
    await session.execute(update(Run).where(Run.id.in_(run_ids)).values(hinted_at=utcnow()))
