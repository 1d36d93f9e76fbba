"""Where people want to be told, and what they are to be told."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.accounts.models import Account
from ngxlab.core.clock import boot, uptime_s, utcnow
from ngxlab.core.database import Base


class ChannelKind(StrEnum):
    email = "email"
    webhook = "webhook"


class NotificationKind(StrEnum):
    """What happened; the ``type`` of a webhook's body."""

    run_ended = "run.ended"
    schedule_not_started = "schedule.not_started"
    host_away = "host.away"
    host_back = "host.back"
    test = "test"


class NotificationChannel(Base):
    """A way to a person: e-mail to the account's own address, or a webhook with a ``url`` and a ``secret`` that signs.

    ``runs``, ``hosts``: what it tells of. The secret is stored as it is, since signing needs it.
    """

    __tablename__ = "notification_channel"
    __table_args__ = (
        CheckConstraint("kind IN ('email', 'webhook')", name="kind"),
        CheckConstraint("(kind = 'webhook') = (url IS NOT NULL AND secret IS NOT NULL)", name="webhook"),
        Index("uq_notification_channel_email", "account_id", unique=True, postgresql_where=text("kind = 'email'")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str]
    url: Mapped[str | None]
    secret: Mapped[str | None]
    runs: Mapped[bool]
    hosts: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    account: Mapped[Account] = relationship(lazy="joined", innerjoin=True)


class Notification(Base):
    """One thing to tell through one channel. Its id is the same at each attempt, so that a receiver knows a repetition.

    ``subject_id``: the run, host or schedule. ``body``: what is sent, composed at the first attempt.
    ``next_attempt_at``: empty once it is delivered or given up. ``due_boot``, ``due_uptime_s``: the same by the uptime
    of the machine that said so, which decides there: somebody may set the clock meanwhile.
    """

    __tablename__ = "notification"
    __table_args__ = (
        Index("ix_notification_due", "next_attempt_at", postgresql_where=text("next_attempt_at IS NOT NULL")),
        Index("ix_notification_channel_id", "channel_id", "created_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    channel_id: Mapped[UUID] = mapped_column(ForeignKey("notification_channel.id", ondelete="CASCADE"))
    kind: Mapped[str]
    subject_id: Mapped[UUID | None]
    detail: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]
    body: Mapped[dict[str, Any] | None]
    attempts: Mapped[int] = mapped_column(default=0)
    next_attempt_at: Mapped[datetime | None]
    due_boot: Mapped[str | None]
    due_uptime_s: Mapped[float | None]
    last_attempt_at: Mapped[datetime | None]
    delivered_at: Mapped[datetime | None]
    last_error: Mapped[str | None]
    channel: Mapped[NotificationChannel] = relationship(lazy="joined", innerjoin=True)

    def wait(self, delay: timedelta) -> None:
        """Until the next attempt."""
        self.next_attempt_at = utcnow() + delay
        self.due_boot, self.due_uptime_s = boot(), uptime_s() + delay.total_seconds()
