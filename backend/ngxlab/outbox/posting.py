"""Post what somebody wants to know, in the transaction of what happened: both are stored, or neither."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.outbox import repository
from ngxlab.outbox.models import Notification, NotificationChannel, NotificationKind

_OF_RUNS = {NotificationKind.run_ended, NotificationKind.schedule_not_started}


async def post(
    session: AsyncSession, kind: NotificationKind, account_id: UUID | None, subject_id: UUID, **detail: Any
) -> None:
    """Tell a person, through each channel that wants this kind; without ``account_id``, all administrators.

    ``detail``: JSON values that are known now and may be different at the delivery.
    """
    channels = await repository.channels_for(session, account_id, of_runs=kind in _OF_RUNS)
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
        session.add(
            Notification(
                channel_id=channel.id, kind=kind, subject_id=subject_id, detail=detail, created_at=now,
                next_attempt_at=now,
            )
        )  # fmt: skip
