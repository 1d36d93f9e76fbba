"""Which identity at the provider is which account here."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.accounts.models import Account
from ngxlab.core.database import Base


class AccountIdentity(Base):
    """Issuer and subject never change, e-mail addresses do: the former identify, ``email`` only says who it is."""

    __tablename__ = "account_identity"

    issuer: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    email: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_used_at: Mapped[datetime] = mapped_column(server_default=func.now())
    account: Mapped[Account] = relationship(lazy="joined", innerjoin=True)


class LinkPermit(Base):
    """An administrator's leave that the next identity with an account's address becomes part of this account."""

    __tablename__ = "link_permit"

    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), primary_key=True)
    expires_at: Mapped[datetime]
