"""Every choice of a measured window, and every return to the planned one. Rows are only added."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.accounts.models import Account
from ngxlab.analysis.records.stream_spans import Span
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
    changed_by: Mapped[UUID] = mapped_column(ForeignKey("account.id", deferrable=True))
    changed_by_name: Mapped[str | None]
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    author: Mapped[Account] = relationship(lazy="joined", innerjoin=True)


@dataclass
class Windows:
    """``run``: of all trials without a window of their own; ``None`` is the planned one."""

    run: Span | None = None
    trials: dict[UUID, Span] = field(default_factory=dict)

    def of(self, trial_id: UUID) -> Span | None:
        return self.trials.get(trial_id, self.run)


def current(changes: Iterable[WindowChange]) -> Windows:
    """``changes`` in their order. The return of a run to its plan ends the windows of single trials too; that of a
    trial lets it follow the run again."""
    windows = Windows()
    for change in changes:
        span = span_of(change)
        if change.trial_id is None:
            windows = Windows(span, windows.trials if span is not None else {})
        elif span is not None:
            windows.trials[change.trial_id] = span
        else:
            windows.trials.pop(change.trial_id, None)
    return windows


def span_of(change: WindowChange) -> Span | None:
    return Span(change.start_s, change.end_s) if change.start_s is not None and change.end_s is not None else None


async def changes_of(session: AsyncSession, run_id: UUID) -> Sequence[WindowChange]:
    """The changes of a run's window and of its trials', in their order."""
    query = select(WindowChange).where(WindowChange.run_id == run_id).order_by(WindowChange.id)
    return (await session.scalars(query)).all()
