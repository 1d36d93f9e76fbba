"""Notes of people."""

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.accounts.models import Account
from ngxlab.core.database import Base


class Note(Base):
    """``trial_id``: ``None`` for the run as a whole. ``t_s``: a moment of the trial, in seconds since the start of its
    planned window. ``text``: Markdown. ``author_name``: who wrote it, of a run from elsewhere."""

    __tablename__ = "note"
    __table_args__ = (CheckConstraint("t_s IS NULL OR trial_id IS NOT NULL", name="moment"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), index=True)
    trial_id: Mapped[UUID | None] = mapped_column(ForeignKey("trial.id", ondelete="CASCADE"), index=True)
    t_s: Mapped[float | None]
    text: Mapped[str]
    created_by: Mapped[UUID] = mapped_column(ForeignKey("account.id", deferrable=True))
    author_name: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    edited_at: Mapped[datetime | None]
    author: Mapped[Account] = relationship(lazy="joined", innerjoin=True)
