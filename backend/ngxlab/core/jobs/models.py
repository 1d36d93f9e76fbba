"""A job as it is stored."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, Index, String, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from ngxlab.core.database import Base


class JobState(StrEnum):
    queued = "queued"
    running = "running"
    done = "done"
    failed = "failed"


class Job(Base):
    """Work that was asked for, and what became of it.

    One of the same kind and key may wait while another runs: what is asked for while it runs may depend on what has
    happened since it began. A running job whose lease has run out waits for whoever claims it again.
    """

    __tablename__ = "job"
    __table_args__ = (
        CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name="state"),
        Index(
            "uq_job_open", "kind", "key", "state", unique=True, postgresql_where=text("state IN ('queued', 'running')")
        ),
        Index("ix_job_kind_key", "kind", "key"),
        Index("ix_job_ended_at", "ended_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    queue: Mapped[str] = mapped_column(String)
    kind: Mapped[str] = mapped_column(String)
    key: Mapped[str] = mapped_column(String)
    arguments: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(String, default=JobState.queued)
    attempts: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str | None] = mapped_column(String)
    """The process that works on it: ``NODE/PID``."""
    lease_until: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    """The beginning of the latest attempt."""
    ended_at: Mapped[datetime | None]
    error: Mapped[str | None] = mapped_column(Text)
    """Why the latest attempt failed."""
    result: Mapped[dict[str, Any] | None]
    """What whoever waits for the job is told beyond what it has stored elsewhere."""
