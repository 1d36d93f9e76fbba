"""Deletions of hosts' histories that go on."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
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
