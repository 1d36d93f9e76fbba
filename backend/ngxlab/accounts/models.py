"""People who may sign in, and their passwords, sessions and tokens."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.core.database import Base


class Role(StrEnum):
    """Each role includes the rights of the roles before it."""

    viewer = "viewer"
    experimenter = "experimenter"
    administrator = "administrator"

    def includes(self, other: "Role") -> bool:
        order = list(Role)
        return order.index(self) >= order.index(other)


class Account(Base):
    """A person. Without a ``password_hash`` they sign in at the provider only."""

    __tablename__ = "account"
    __table_args__ = (CheckConstraint("role IN ('viewer', 'experimenter', 'administrator')", name="role"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    email: Mapped[str] = mapped_column(unique=True)
    role: Mapped[str]
    password_hash: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    disabled_at: Mapped[datetime | None]


class LoginSession(Base):
    """A browser's session. Only a hash of the cookie is stored."""

    __tablename__ = "login_session"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(unique=True)
    csrf_token: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    account: Mapped[Account] = relationship(lazy="joined", innerjoin=True)


class ApiToken(Base):
    """A personal token for scripts. It has its owner's role, and only its hash is stored."""

    __tablename__ = "api_token"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    token_hash: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    account: Mapped[Account] = relationship(lazy="joined", innerjoin=True)
