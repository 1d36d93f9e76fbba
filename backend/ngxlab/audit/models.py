"""Entries of the audit log. They name what they are about without referring to it, because they outlive it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Integer, func
from sqlalchemy.orm import Mapped, mapped_column

from ngxlab.core.database import Base


class AuditEntry(Base):
    """One act. A trigger refuses changes, and deletion of what is younger than :data:`retention.MINIMUM_DAYS`."""

    __tablename__ = "audit_entry"
    __table_args__ = (
        CheckConstraint("actor_kind IN ('person', 'host', 'system', 'anyone')", name="actor_kind"),
        Index("ix_audit_entry_actor_id", "actor_id", "id"),
        Index("ix_audit_entry_act", "act", "id"),
        Index("ix_audit_entry_object_id", "object_id", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)
    actor_kind: Mapped[str]
    actor_id: Mapped[UUID | None]
    actor_name: Mapped[str]
    actor_token: Mapped[str | None]
    """The name of the personal API token through which a person acted."""
    act: Mapped[str]
    object_kind: Mapped[str | None]
    object_id: Mapped[UUID | None]
    object_name: Mapped[str | None]
    detail: Mapped[dict[str, Any]]
    address: Mapped[str | None]
    request_id: Mapped[str | None]


class AuditTally(Base):
    """Counts repetitions of an act that is entered once: a shared report opened, a sign-in refused."""

    __tablename__ = "audit_tally"

    key: Mapped[str] = mapped_column(primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey("audit_entry.id", ondelete="CASCADE"), unique=True)
    count: Mapped[int] = mapped_column(Integer, default=1)
    last_at: Mapped[datetime] = mapped_column(server_default=func.now())
