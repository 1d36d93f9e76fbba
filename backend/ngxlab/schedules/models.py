"""Schedules, and what became of each of their times."""

from datetime import date, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.accounts.models import Account, ApiToken
from ngxlab.core.database import Base
from ngxlab.experiments.models import Experiment
from ngxlab.runs.models import Run


class Outcome(StrEnum):
    """``skipped``: the run before was still going on. ``missed``: the time was over before anybody could look.

    ``refused``: the run could not be started; the reason says why.
    """

    started = "started"
    skipped = "skipped"
    missed = "missed"
    refused = "refused"


class Schedule(Base):
    """Starts an experiment's latest version by itself, as its owner. ``timing``: a Timing; ``request``: a RunCreate.

    ``next_at``: empty while it is paused, and once it has ended. ``started``: how many runs it has started.
    """

    __tablename__ = "schedule"
    __table_args__ = (Index("ix_schedule_next_at", "next_at", postgresql_where=text("next_at IS NOT NULL")),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    experiment_id: Mapped[UUID] = mapped_column(ForeignKey("experiment.id"), index=True)
    created_by: Mapped[UUID] = mapped_column(ForeignKey("account.id"), index=True)
    token_id: Mapped[UUID | None] = mapped_column(ForeignKey("api_token.id"))
    """The API token that made or resumed it, and with which it ends; empty where a person did."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    timing: Mapped[dict[str, Any]]
    request: Mapped[dict[str, Any]]
    last_day: Mapped[date | None]
    most_runs: Mapped[int | None]
    started: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime | None]
    paused_at: Mapped[datetime | None]
    pause_reason: Mapped[str | None]
    experiment: Mapped[Experiment] = relationship(lazy="joined", innerjoin=True)
    author: Mapped[Account] = relationship(lazy="joined", innerjoin=True)
    token: Mapped[ApiToken | None] = relationship(lazy="selectin")


class Occurrence(Base):
    """One time of a schedule. That there is one row for it keeps a run from being started twice."""

    __tablename__ = "schedule_occurrence"
    __table_args__ = (
        UniqueConstraint("schedule_id", "due_at"),
        CheckConstraint("outcome IN ('started', 'skipped', 'missed', 'refused')", name="outcome"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    schedule_id: Mapped[UUID] = mapped_column(ForeignKey("schedule.id", ondelete="CASCADE"))
    due_at: Mapped[datetime]
    outcome: Mapped[str]
    reason: Mapped[str | None]
    run_id: Mapped[UUID | None] = mapped_column(ForeignKey("run.id", ondelete="SET NULL"), index=True)
    run: Mapped[Run | None] = relationship(lazy="raise")
