"""SQL of channels and notifications."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, case, delete, exists, func, literal, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.models import Account, Role
from ngxlab.core.clock import boot, uptime_s, utcnow
from ngxlab.core.jobs.kinds import NOW, UPTIME
from ngxlab.core.rehearsal import is_real
from ngxlab.outbox.models import Notification, NotificationChannel, NotificationKind

_LEASE = timedelta(minutes=2)
"""A delivery that has not ended by then was cut off, and is tried again."""


async def channels_for(
    session: AsyncSession, account_id: UUID | None, *, of_runs: bool
) -> Sequence[NotificationChannel]:
    """Channels of an account, or of all administrators, that want to know of runs, or else of hosts."""
    wanted = NotificationChannel.runs if of_runs else NotificationChannel.hosts
    query = select(NotificationChannel).join(Account, Account.id == NotificationChannel.account_id)
    query = query.where(wanted, Account.disabled_at.is_(None))
    if account_id is None:
        query = query.where(Account.role == Role.administrator)
    else:
        query = query.where(Account.id == account_id)
    return (await session.scalars(query)).all()


async def channels_of(session: AsyncSession, account_id: UUID) -> Sequence[NotificationChannel]:
    query = select(NotificationChannel).where(NotificationChannel.account_id == account_id)
    return (await session.scalars(query.order_by(NotificationChannel.created_at, NotificationChannel.id))).all()


async def channel(session: AsyncSession, channel_id: UUID) -> NotificationChannel | None:
    """Locked, so that two requests about it follow each other."""
    query = select(NotificationChannel).where(NotificationChannel.id == channel_id)
    return await session.scalar(query.with_for_update(of=NotificationChannel))


async def latest_by_channel(session: AsyncSession, account_id: UUID) -> dict[UUID, Notification]:
    """The newest notification of each channel of an account."""
    query = (
        select(Notification)
        .join(NotificationChannel, NotificationChannel.id == Notification.channel_id)
        .where(NotificationChannel.account_id == account_id)
        .ext(distinct_on(Notification.channel_id))
        .order_by(Notification.channel_id, Notification.created_at.desc())
    )
    found = await session.scalars(query.execution_options(populate_existing=True))
    return {one.channel_id: one for one in found}


def is_any_due() -> ColumnElement[bool]:
    """Whether there is anything to :func:`claim_due`: asked all the time."""
    return exists().where(_is_due(NOW, UPTIME)) & is_real()


def _is_due(now: ColumnElement[datetime], uptime_s: ColumnElement[float]) -> ColumnElement[bool]:
    """By the uptime of the machine that said how long it waits, where this is the one; elsewhere by the clock."""
    same = Notification.due_boot == boot()
    is_due = case((same, Notification.due_uptime_s <= uptime_s), else_=Notification.next_attempt_at <= now)
    return Notification.next_attempt_at.is_not(None) & is_due


async def claim_due(session: AsyncSession, limit: int) -> list[UUID]:
    """Take what is due, the oldest of each channel, so that one that hangs holds up none of the others.

    What is taken comes back after the lease, unless its outcome is recorded before.
    """
    now = utcnow()
    is_due = _is_due(literal(now), literal(uptime_s()))
    turn = func.row_number().over(partition_by=Notification.channel_id, order_by=Notification.created_at)
    due = select(Notification.id, turn.label("turn")).where(is_due, is_real()).subquery()
    query = select(Notification).where(Notification.id.in_(select(due.c.id).where(due.c.turn == 1)), is_due)
    locked = query.order_by(Notification.next_attempt_at).limit(limit)
    taken = (await session.scalars(locked.with_for_update(of=Notification, skip_locked=True))).all()
    for one in taken:
        one.attempts, one.last_attempt_at = one.attempts + 1, now
        one.wait(_LEASE)
    return [one.id for one in taken]


async def notification(session: AsyncSession, notification_id: UUID) -> Notification | None:
    return await session.get(Notification, notification_id)


async def forget_settled(session: AsyncSession, before: datetime) -> None:
    """Delete what was delivered or given up, and is older."""
    settled = delete(Notification).where(Notification.next_attempt_at.is_(None), Notification.created_at < before)
    await session.execute(settled)


_OF_RUNS = {NotificationKind.run_ended, NotificationKind.schedule_not_started}


async def post(
    session: AsyncSession, kind: NotificationKind, account_id: UUID | None, subject_id: UUID, **detail: Any
) -> None:
    """Tell a person, through each channel that wants this kind; without ``account_id``, all administrators.

    ``detail``: JSON values that are known now and may be different at the delivery.
    """
    channels = await channels_for(session, account_id, of_runs=kind in _OF_RUNS)
    add(session, channels, kind, subject_id, **detail)


def add(
    session: AsyncSession,
    channels: Iterable[NotificationChannel],
    kind: NotificationKind,
    subject_id: UUID | None,
    **detail: Any,
) -> None:
    """Due at once."""
    now = utcnow()
    for channel in channels:
        told = Notification(channel_id=channel.id, kind=kind, subject_id=subject_id, detail=detail, created_at=now)
        told.wait(timedelta(0))
        session.add(told)
