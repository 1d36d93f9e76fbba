"""Links that show something without an account."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.accounts.models import Account, ApiToken
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Base


class ShareKind(StrEnum):
    report = "report"
    comparison = "comparison"
    trends = "trends"


class Share(Base):
    """An unguessable, revocable link. Only the token's hash is stored. ``opened``: how often.

    ``experiment_id``: whose trends it shows. ``asked``: what comparison. ``runs``: all that it shows something of.
    """

    __tablename__ = "share"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    kind: Mapped[str] = mapped_column(default=ShareKind.report, server_default=ShareKind.report)
    experiment_id: Mapped[UUID | None] = mapped_column(ForeignKey("experiment.id", ondelete="CASCADE"), index=True)
    asked: Mapped[dict[str, Any] | None]
    token_hash: Mapped[str] = mapped_column(unique=True)
    label: Mapped[str | None]
    created_by: Mapped[UUID] = mapped_column(ForeignKey("account.id"))
    token_id: Mapped[UUID | None] = mapped_column(ForeignKey("api_token.id"))
    """The API token that made it, and with which it ends; empty where a person made or adopted it."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    opened: Mapped[int] = mapped_column(default=0, server_default="0")
    last_opened_at: Mapped[datetime | None]

    runs: Mapped[list["SharedRun"]] = relationship(lazy="selectin", viewonly=True)
    token: Mapped[ApiToken | None] = relationship(lazy="selectin")
    author: Mapped[Account] = relationship(lazy="selectin")

    @property
    def works(self) -> bool:
        """Whether it can be opened now; SQL asks the same by ``repository.works``."""
        is_over = self.expires_at is not None and self.expires_at <= utcnow()
        token_ended = self.token is not None and self.token.has_ended
        return not (self.revoked_at is not None or is_over or token_ended or self.author.disabled_at is not None)

    @property
    def run_ids(self) -> set[UUID]:
        return {one.run_id for one in self.runs}


class SharedRun(Base):
    """A run of which a link shows something: the link ends with it."""

    __tablename__ = "shared_run"

    share_id: Mapped[UUID] = mapped_column(ForeignKey("share.id", ondelete="CASCADE"), primary_key=True)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True, index=True)


class ShareCopy(Base):
    """What a link shows, as it was when its owner made or refreshed it: see ``snapshots.py``.

    ``headline``: what a preview of the link says. ``digest``: to see whether its owner reads something else by now.
    ``picture``: for previews, drawn when somebody asks for it.
    """

    __tablename__ = "share_copy"

    share_id: Mapped[UUID] = mapped_column(ForeignKey("share.id", ondelete="CASCADE"), primary_key=True)
    taken_at: Mapped[datetime]
    headline: Mapped[str]
    digest: Mapped[str]
    content: Mapped[bytes]
    picture: Mapped[bytes | None]


class ShareFile(Base):
    """A file of what a link shows, made when it was asked for first. It goes with the copy that it was made of.

    ``name``: that of the export, and its paper where that is not A4.
    """

    __tablename__ = "share_file"

    share_id: Mapped[UUID] = mapped_column(ForeignKey("share_copy.share_id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    language: Mapped[str] = mapped_column(primary_key=True)
    content: Mapped[bytes]
