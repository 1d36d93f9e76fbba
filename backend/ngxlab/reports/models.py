"""Links that show a report without an account."""

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from ngxlab.core.database import Base


class Share(Base):
    """An unguessable, revocable link to one run's report. Only the token's hash is stored. ``opened``: how often."""

    __tablename__ = "share"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(unique=True)
    label: Mapped[str | None]
    created_by: Mapped[UUID] = mapped_column(ForeignKey("account.id"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    opened: Mapped[int] = mapped_column(default=0, server_default="0")
    last_opened_at: Mapped[datetime | None]
