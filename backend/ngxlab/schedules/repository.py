"""SQL of schedules."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload

from ngxlab.accounts.access import Caller
from ngxlab.accounts.models import Account
from ngxlab.core.jobs.kinds import NOW
from ngxlab.core.rehearsal import is_real
from ngxlab.experiments.repository import hidden
from ngxlab.runs.models import Run
from ngxlab.schedules.models import Occurrence, Schedule

_SHOWN = 10
_DISABLED = Account.disabled_at.is_not(None)


async def schedules(session: AsyncSession, caller: Caller, experiment_id: UUID | None) -> Sequence[Schedule]:
    """Schedules of one experiment or of all that the caller may read: what is due first comes first, what is paused or
    over comes last."""
    query = select(Schedule).where(Schedule.experiment_id.not_in(hidden(caller)))
    if experiment_id is not None:
        query = query.where(Schedule.experiment_id == experiment_id)
    query = query.order_by(Schedule.next_at.asc().nulls_last(), Schedule.created_at.desc())
    return (await session.scalars(query)).all()


async def locked(session: AsyncSession, schedule_id: UUID) -> Schedule | None:
    query = select(Schedule).where(Schedule.id == schedule_id).with_for_update(of=Schedule)
    return await session.scalar(query.execution_options(populate_existing=True))


def is_any_due() -> ColumnElement[bool]:
    """Whether there is anything to :func:`claim_due`: asked all the time."""
    return exists().where(Schedule.next_at <= NOW) & is_real()


def is_any_of_disabled() -> ColumnElement[bool]:
    """Whether there is anything in :func:`of_disabled`: asked all the time."""
    return exists().where(Schedule.next_at.is_not(None), Schedule.created_by == Account.id, _DISABLED)


async def of_disabled(session: AsyncSession) -> Sequence[Schedule]:
    """Schedules that go on although their owners are disabled, locked."""
    owners = select(Account.id).where(_DISABLED)
    query = select(Schedule).where(Schedule.next_at.is_not(None), Schedule.created_by.in_(owners))
    return (await session.scalars(query.with_for_update(of=Schedule, skip_locked=True))).all()


async def claim_due(session: AsyncSession, now: datetime) -> Schedule | None:
    """The schedule that has been due for longest, locked; one that another process has locked is theirs."""
    query = select(Schedule).where(Schedule.next_at <= now, is_real()).order_by(Schedule.next_at).limit(1)
    return await session.scalar(query.with_for_update(of=Schedule, skip_locked=True))


async def has_outcome(session: AsyncSession, schedule_id: UUID, due_at: datetime) -> bool:
    query = select(Occurrence.id).where(Occurrence.schedule_id == schedule_id, Occurrence.due_at == due_at)
    return await session.scalar(query) is not None


async def count_open(session: AsyncSession, account_id: UUID) -> int:
    """Schedules of an account that are not over."""
    is_open = or_(Schedule.next_at.is_not(None), Schedule.paused_at.is_not(None))
    query = select(func.count()).where(Schedule.created_by == account_id, is_open)
    return await session.scalar(query) or 0


async def latest_run(session: AsyncSession, schedule_id: UUID) -> Run | None:
    """The run that it has started last."""
    query = select(Run).join(Occurrence, Occurrence.run_id == Run.id).where(Occurrence.schedule_id == schedule_id)
    return await session.scalar(query.order_by(Occurrence.due_at.desc()).limit(1))


async def latest_occurrences(session: AsyncSession, schedule_ids: Sequence[UUID]) -> dict[UUID, list[Occurrence]]:
    """The newest of each schedule, newest first, with their runs."""
    turn = func.row_number().over(partition_by=Occurrence.schedule_id, order_by=Occurrence.due_at.desc())
    ranked = select(Occurrence.id, turn.label("turn")).where(Occurrence.schedule_id.in_(schedule_ids)).subquery()
    query = select(Occurrence).join(ranked, ranked.c.id == Occurrence.id).where(ranked.c.turn <= _SHOWN)
    found: dict[UUID, list[Occurrence]] = {}
    newest_first = query.options(selectinload(Occurrence.run)).order_by(Occurrence.due_at.desc())
    for one in await session.scalars(newest_first):
        found.setdefault(one.schedule_id, []).append(one)
    return found
