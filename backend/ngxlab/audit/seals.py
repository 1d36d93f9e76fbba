"""Seals of the audit log: a chain of sums, whose newest link is also written to the server's log, elsewhere.

Whoever owns the database can change an entry, or put one in with an earlier time. Then the sum over its seal is another
one, and so are all sums after it; and those that were written elsewhere stay as they were.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from sqlalchemy import BigInteger, ColumnElement, Identity, Integer, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from ngxlab.audit.record import AuditEntry
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Base

log = structlog.get_logger()

_SETTLED = timedelta(minutes=15)
"""No transaction lasts so long: no entry of before can still appear."""
_MOST = 10_000
_FIRST = "0" * 64


class AuditSeal(Base):
    """``after_id`` to ``up_to_id``: its entries, ``count`` of them. ``sum``: SHA-256 of the seal before and of them, in
    hexadecimal."""

    __tablename__ = "audit_seal"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    sealed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    after_id: Mapped[int] = mapped_column(BigInteger)
    up_to_id: Mapped[int] = mapped_column(BigInteger)
    count: Mapped[int] = mapped_column(Integer)
    sum: Mapped[str]


@dataclass
class Checked:
    """``gone``: seals whose entries are past their retention, or some of them. ``wrong``: what does not fit."""

    seals: int = 0
    entries: int = 0
    gone: int = 0
    head: str = _FIRST
    wrong: list[str] = field(default_factory=list)


async def seal(session: AsyncSession) -> AuditSeal | None:
    """Seal what has settled since the last seal; None where there is nothing.

    With every entry of a lower id, whatever its time: of two transactions the one that began later may have the lower.
    """
    await session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended("ngxlab audit seal", 0))))
    last = await session.scalar(select(AuditSeal).order_by(AuditSeal.id.desc()).limit(1))
    after = last.up_to_id if last else 0
    settled = select(func.max(AuditEntry.id)).where(AuditEntry.id > after, AuditEntry.at < utcnow() - _SETTLED)
    if (newest := await session.scalar(settled)) is None:
        return None
    entries = await _entries(session, after, AuditEntry.id <= newest)
    made = AuditSeal(
        after_id=after, up_to_id=entries[-1].id, count=len(entries), sum=_sum(last.sum if last else _FIRST, entries)
    )
    session.add(made)
    await session.flush()
    log.info("audit log sealed", seal=made.id, entries=made.count, up_to=made.up_to_id, sum=made.sum)
    return made


async def check(session: AsyncSession, keep: timedelta) -> Checked:
    """Compute every seal again. ``keep``: how long entries stay; what is older may be gone."""
    found = Checked()
    settled: datetime | None = None
    for one in (await session.scalars(select(AuditSeal).order_by(AuditSeal.id))).all():
        entries = await _entries(session, one.after_id, AuditEntry.id <= one.up_to_id)
        found.seals += 1
        found.entries += len(entries)
        if len(entries) < one.count and one.sealed_at < utcnow() - keep:
            found.gone += 1
        elif _sum(found.head, entries) != one.sum:
            more = len(entries) - one.count
            how = (
                f"{abs(more)} {'more' if more > 0 else 'fewer'}"
                if more
                else "an entry, or an earlier seal, was changed"
            )
            found.wrong.append(
                f"Seal {one.id} of {one.sealed_at:%Y-%m-%d %H:%M} UTC, up to entry {one.up_to_id}: {how}"
            )
        elif settled is not None and (late := sum(entry.at < settled for entry in entries)):
            found.wrong.append(
                f"Seal {one.id} of {one.sealed_at:%Y-%m-%d %H:%M} UTC: times of before the seal before it in {late} of "
                "its entries: they were put in later, or the server's clock was set back"
            )
        settled = one.sealed_at - _SETTLED if one.count < _MOST else None
        found.head = one.sum
    return found


async def _entries(session: AsyncSession, after: int, which: ColumnElement[bool]) -> Sequence[AuditEntry]:
    query = select(AuditEntry).where(AuditEntry.id > after, which)
    return (await session.scalars(query.order_by(AuditEntry.id).limit(_MOST))).all()


def _sum(before: str, entries: Sequence[AuditEntry]) -> str:
    made = hashlib.sha256(before.encode())
    for entry in entries:
        row = {column.name: getattr(entry, column.name) for column in AuditEntry.__table__.columns}
        made.update(json.dumps(row, sort_keys=True, default=str).encode() + b"\n")
    return made.hexdigest()
