"""SQL of reading the audit log."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, Select, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.record import AuditEntry, AuditTally
from ngxlab.audit_log.schemas import AuditFilter

_Found = Select[AuditEntry, AuditTally | None]


def _as_id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _actor_is(text: str) -> ColumnElement[bool]:
    if (actor_id := _as_id(text)) is not None:
        return AuditEntry.actor_id == actor_id
    return or_(
        AuditEntry.actor_name.icontains(text, autoescape=True), AuditEntry.actor_token.icontains(text, autoescape=True)
    )


def _object_is(text: str) -> ColumnElement[bool]:
    """An act on an account is also found by the account's name; a run's hosts are part of its detail."""
    if (object_id := _as_id(text)) is not None:
        return AuditEntry.object_id == object_id
    in_detail = AuditEntry.detail["hosts"].astext.icontains(text, autoescape=True)
    return or_(AuditEntry.object_name.icontains(text, autoescape=True), in_detail)


def _matching(wanted: AuditFilter) -> _Found:
    query = select(AuditEntry, AuditTally).outerjoin(AuditTally, AuditTally.entry_id == AuditEntry.id)
    if wanted.actor:
        query = query.where(_actor_is(wanted.actor))
    if wanted.object:
        query = query.where(_object_is(wanted.object))
    if wanted.act:
        query = query.where(AuditEntry.act.in_(wanted.act))
    if wanted.since is not None:
        query = query.where(AuditEntry.at >= wanted.since)
    if wanted.until is not None:
        query = query.where(AuditEntry.at < wanted.until)
    if wanted.start is not None:
        query = query.where(AuditEntry.id < wanted.start)
    return query


async def entries(
    session: AsyncSession, wanted: AuditFilter, limit: int
) -> Sequence[tuple[AuditEntry, AuditTally | None]]:
    """The newest matching entries, each with its tally where it has one."""
    rows = await session.execute(_matching(wanted).order_by(AuditEntry.id.desc()).limit(limit))
    return [(row[0], row[1]) for row in rows]
