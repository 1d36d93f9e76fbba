"""A restored backup acts on nobody until an administrator says that it is the real installation.

The original may still run: both would start its schedules and send its messages. The row comes with the restored data,
in the same transaction (:mod:`ngxlab.core.backup`).
"""

from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from ngxlab.core.database import Base
from ngxlab.core.errors import Conflict


class Rehearsal(Base):
    """At most one row. ``backup_of``: the moment whose data were restored."""

    __tablename__ = "rehearsal"

    only_one: Mapped[bool] = mapped_column(primary_key=True, default=True)
    backup_of: Mapped[datetime]
    since: Mapped[datetime] = mapped_column(server_default=func.now())


def is_real() -> ColumnElement[bool]:
    """Whether this installation may act: for the questions that are asked all the time."""
    return ~exists(select(Rehearsal.only_one))


async def rehearsed(session: AsyncSession) -> datetime | None:
    """The moment whose data are rehearsed; None for a real installation."""
    return await session.scalar(select(Rehearsal.backup_of))


async def require_real(session: AsyncSession) -> None:
    """Raises Conflict in a rehearsal."""
    if (backup_of := await rehearsed(session)) is not None:
        raise Conflict(
            f"This server rehearses a backup of {backup_of:%Y-%m-%d %H:%M} UTC: it measures nothing and sends nothing "
            "until an administrator says, at the top of any page, that it is the real installation.",
            code="rehearsal",
        )


async def become_real(session: AsyncSession) -> datetime | None:
    """End the rehearsal. The moment whose data it had; None where there was none."""
    return await session.scalar(delete(Rehearsal).returning(Rehearsal.backup_of))
