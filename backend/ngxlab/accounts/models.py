"""People who may sign in, and their passwords, sessions and tokens."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Base


class Role(StrEnum):
    """Each role includes the rights of the roles before it."""

    viewer = "viewer"
    experimenter = "experimenter"
    administrator = "administrator"

    @classmethod
    def lesser(cls, *roles: "Role") -> "Role":
        """The role with the fewest rights."""
        return min(roles, key=list(cls).index)

    def includes(self, other: "Role") -> bool:
        order = list(Role)
        return order.index(self) >= order.index(other)


class TokenScope(StrEnum):
    """What a token is for. It never has more rights than its owner."""

    read = "read"
    operate = "operate"
    administer = "administer"

    @property
    def role(self) -> Role:
        """The role up to which a token of this scope acts."""
        return {"read": Role.viewer, "operate": Role.experimenter, "administer": Role.administrator}[self]


class Language(StrEnum):
    """Languages of the pages by their tags (BCP 47), as ``lib/language`` of the frontend has them."""

    english = "en"
    simplified_chinese = "zh-Hans"


class Account(Base):
    """A person. Without a ``password_hash`` they sign in at the provider only.

    ``one_time_password_until``: set where somebody else made the password, to be replaced by then. ``language``: of
    the pages, where the person has chosen one.
    """

    __tablename__ = "account"
    __table_args__ = (
        CheckConstraint("role IN ('viewer', 'experimenter', 'administrator')", name="role"),
        CheckConstraint("language IN ('en', 'zh-Hans')", name="language"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    email: Mapped[str] = mapped_column(unique=True)
    role: Mapped[str]
    password_hash: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    disabled_at: Mapped[datetime | None]
    one_time_password_until: Mapped[datetime | None]
    language: Mapped[str | None]

    @property
    def has_password(self) -> bool:
        return self.password_hash is not None

    @property
    def must_change_password(self) -> bool:
        return self.one_time_password_until is not None


class Team(Base):
    """People who alone may read an experiment or run on a host: ``teams.py``."""

    __tablename__ = "team"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class TeamMember(Base):
    """Somebody in a team."""

    __tablename__ = "team_member"

    team_id: Mapped[UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), primary_key=True, index=True)


class LoginSession(Base):
    """A browser's session. Only a hash of the cookie is stored. ``address``: where it was signed in from.

    ``confirmed_at``: when its person last proved to have one of their passkeys.
    """

    __tablename__ = "login_session"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(unique=True)
    csrf_token: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime] = mapped_column(server_default=func.now())
    address: Mapped[str | None]
    user_agent: Mapped[str | None]
    confirmed_at: Mapped[datetime | None]
    account: Mapped[Account] = relationship(lazy="joined", innerjoin=True)


class Passkey(Base):
    """A key of a person's device (WebAuthn), as their second factor. ``credential``: its id and public key, as the
    device told them. ``sign_count``: how often the device says that it has used it; 0 where it does not count.
    """

    __tablename__ = "passkey"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    credential_id: Mapped[bytes] = mapped_column(unique=True)
    credential: Mapped[bytes]
    sign_count: Mapped[int] = mapped_column(BigInteger)
    name: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_used_at: Mapped[datetime | None]


class PasskeyChallenge(Base):
    """What a device is asked to sign, once, for one purpose."""

    __tablename__ = "passkey_challenge"

    challenge: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    purpose: Mapped[str]
    expires_at: Mapped[datetime]


class KnownDevice(Base):
    """A browser from which somebody has signed in before. Only a hash of its cookie is stored."""

    __tablename__ = "known_device"

    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), primary_key=True)
    token_hash: Mapped[str] = mapped_column(primary_key=True)
    last_used_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ApiToken(Base):
    """A personal token for scripts: its owner's rights within its scope. Only its hash is stored."""

    __tablename__ = "api_token"
    __table_args__ = (CheckConstraint("scope IN ('read', 'operate', 'administer')", name="scope"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    scope: Mapped[str]
    token_hash: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    account: Mapped[Account] = relationship(lazy="joined", innerjoin=True)

    @property
    def has_ended(self) -> bool:
        return self.revoked_at is not None or self.expires_at <= utcnow()


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
