"""Where a run came from that another installation measured."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.accounts.models import Account
from ngxlab.core.database import Base


class RunImport(Base):
    """``origin``: the address of the installation that exported the run, as its archive says. ``author``: who started
    it there. ``calibration``: the one that was in force for it (``CalibrationUse``), since calibrations stay where
    their hosts are; ``calibration_stale``: why there was none. Its hosts are rows of removed hosts: names, no more.
    """

    __tablename__ = "run_import"

    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    origin: Mapped[str]
    author: Mapped[str]
    sha256: Mapped[str]
    calibration: Mapped[dict[str, Any] | None]
    calibration_stale: Mapped[str | None]
    imported_by: Mapped[UUID] = mapped_column(ForeignKey("account.id"))
    imported_at: Mapped[datetime] = mapped_column(server_default=func.now())
    importer: Mapped[Account] = relationship(lazy="joined", innerjoin=True)
