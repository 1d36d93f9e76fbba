"""Enter an act, in the transaction of the act itself: both happen, or neither."""

from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address, ip_network
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Integer, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from ngxlab.audit.acts import Act
from ngxlab.core.database import Base
from ngxlab.core.request_context import current_request


class AuditEntry(Base):
    """One act. A trigger refuses changes, and deletion of what is younger than :data:`retention.MINIMUM_DAYS`."""

    __tablename__ = "audit_entry"
    __table_args__ = (
        CheckConstraint("actor_kind IN ('person', 'host', 'system', 'anyone')", name="actor_kind"),
        Index("ix_audit_entry_actor_id", "actor_id", "id"),
        Index("ix_audit_entry_act", "act", "id"),
        Index("ix_audit_entry_object_id", "object_id", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)
    actor_kind: Mapped[str]
    actor_id: Mapped[UUID | None]
    actor_name: Mapped[str]
    actor_token: Mapped[str | None]
    """The name of the personal API token through which a person acted."""
    act: Mapped[str]
    object_kind: Mapped[str | None]
    object_id: Mapped[UUID | None]
    object_name: Mapped[str | None]
    detail: Mapped[dict[str, Any]]
    address: Mapped[str | None]
    request_id: Mapped[str | None]


class AuditTally(Base):
    """Counts repetitions of an act that is entered once: a shared report opened, a sign-in refused."""

    __tablename__ = "audit_tally"

    key: Mapped[str] = mapped_column(primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey("audit_entry.id", ondelete="CASCADE"), unique=True)
    count: Mapped[int] = mapped_column(Integer, default=1)
    last_at: Mapped[datetime] = mapped_column(server_default=func.now())


ActorKind = Literal["person", "host", "system", "anyone"]
ObjectKind = Literal[
    "account",
    "token",
    "passkey",
    "team",
    "channel",
    "host",
    "experiment",
    "schedule",
    "run",
    "share",
    "settings",
    "audit-log",
]

_MAX_TEXT = 300
_MAX_ITEMS = 100


@dataclass(frozen=True)
class Actor:
    """Who acts. ``token``: the name of the personal API token in use. A stranger is ``anyone``."""

    kind: ActorKind
    name: str
    id: UUID | None = None
    token: str | None = None


@dataclass(frozen=True)
class Object:
    """What an act is done to, by the name that it has at this moment."""

    kind: ObjectKind
    id: UUID | None
    name: str


INSTALLATION = Object("settings", None, "installation")
ANYONE = Actor("anyone", "somebody not signed in")


def system(name: str) -> Actor:
    """The installation itself, or its operator on the server's own command line."""
    return Actor("system", name)


async def record(
    session: AsyncSession, actor: Actor, act: Act, on: Object | None = None, /, **detail: Any
) -> AuditEntry:
    """Enter an act. ``detail``: JSON values in short; never a secret, never the text of a fragment."""
    request = current_request()
    entry = AuditEntry(
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=_bounded(actor.name),
        actor_token=_bounded(actor.token),
        act=act,
        object_kind=on.kind if on else None,
        object_id=on.id if on else None,
        object_name=_bounded(on.name) if on else None,
        detail=_bounded({name: value for name, value in detail.items() if value is not None}),
        address=request.address if request else None,
        request_id=request.request_id if request else None,
    )
    session.add(entry)
    await session.flush()
    return entry


async def record_once(
    session: AsyncSession, key: str, actor: Actor, act: Act, on: Object | None = None, /, **detail: Any
) -> None:
    """Enter the first act with this key, and count its repetitions. Call it last: the tally is locked until the commit.

    ``key`` says what counts as a repetition, e.g. a share, a day and a class of addresses.
    """
    if await _count(session, key):
        return
    await session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 0))))
    if await _count(session, key):  # by whoever held the lock
        return
    entry = await record(session, actor, act, on, **detail)
    session.add(AuditTally(key=key, entry_id=entry.id))
    await session.flush()


async def _count(session: AsyncSession, key: str) -> bool:
    """Count a repetition. False if there is no entry to count at."""
    counting = update(AuditTally).where(AuditTally.key == key)
    counting = counting.values(count=AuditTally.count + 1, last_at=func.now()).returning(AuditTally.count)
    return await session.scalar(counting) is not None


def _bounded(value: Any) -> Any:
    """What came from outside takes a bounded place in a log that nobody may shorten."""
    if isinstance(value, str):
        value = value.replace("\x00", "\ufffd")
        return value if len(value) <= _MAX_TEXT else value[: _MAX_TEXT - 1] + "…"
    if isinstance(value, dict):
        return {str(key)[:_MAX_TEXT]: _bounded(item) for key, item in list(value.items())[:_MAX_ITEMS]}
    if isinstance(value, list | tuple):
        return [_bounded(item) for item in value[:_MAX_ITEMS]]
    return value


def address_class(address: str | None) -> str:
    """``this machine``, ``private network`` or ``internet``; ``unknown`` for what is no address."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return "unknown"
    if parsed.is_loopback:
        return "this machine"
    return "private network" if parsed.is_private or parsed.is_link_local else "internet"


def network(address: str | None) -> str:
    """The /24 (IPv4) or /48 (IPv6) of an address: what one stranger usually commands."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return "unknown"
    return str(ip_network((parsed, 24 if parsed.version == 4 else 48), strict=False))
