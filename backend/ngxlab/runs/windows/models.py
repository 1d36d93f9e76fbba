"""Every choice of a measured window, and every return to the planned one. Rows are only added."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.accounts.models import Account
from ngxlab.core.database import Base


class WindowChange(Base):
    """``trial_id``: ``None`` for all trials of the run. ``start_s``, ``end_s``: seconds since the start of the planned
    window; both are ``None`` for the return to it. ``changed_by_name``: who it was, of a run from elsewhere."""

    __tablename__ = "window_change"
    __table_args__ = (CheckConstraint("(start_s IS NULL) = (end_s IS NULL) AND start_s < end_s", name="span"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), index=True)
    trial_id: Mapped[UUID | None] = mapped_column(ForeignKey("trial.id", ondelete="CASCADE"), index=True)
    start_s: Mapped[float | None]
    end_s: Mapped[float | None]
    reason: Mapped[str | None]
    changed_by: Mapped[UUID] = mapped_column(ForeignKey("account.id"))
    changed_by_name: Mapped[str | None]
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    author: Mapped[Account] = relationship(lazy="joined", innerjoin=True)
