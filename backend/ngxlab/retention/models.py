"""Deletions of hosts' histories that go on, and the backups that were made."""

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column

from ngxlab.core.database import Base


class HostHistoryDeletion(Base):
    """A deletion of runs in which the host took part, over at ``asked_at``; the row goes when all of them are done.

    ``verdicts``: the runs themselves go, and calibrations of the host; else their raw data only. ``starred``,
    ``shared``, ``others``: also of runs that are starred, that links show, in which other hosts took part.
    """

    __tablename__ = "host_history_deletion"

    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"), primary_key=True)
    asked_at: Mapped[datetime]
    verdicts: Mapped[bool]
    starred: Mapped[bool]
    shared: Mapped[bool]
    others: Mapped[bool]


class Backup(Base):
    """``file``: as the operator named it. ``proven_at``: when it was last restored somewhere, to see whether it can be;
    ``trouble``: why it could not."""

    __tablename__ = "backup"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    made_at: Mapped[datetime]
    file: Mapped[str] = mapped_column(Text)
    bytes: Mapped[int] = mapped_column(BigInteger)
    took_s: Mapped[float]
    proven_at: Mapped[datetime | None]
    trouble: Mapped[str | None] = mapped_column(Text)
