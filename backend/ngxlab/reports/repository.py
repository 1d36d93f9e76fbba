"""SQL of shares."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.reports.models import Share


async def share(session: AsyncSession, share_id: UUID) -> Share | None:
    return await session.get(Share, share_id)


async def open_share(session: AsyncSession, token_hash: str) -> Share | None:
    """The share behind a token, unless it was revoked or has expired."""
    return await session.scalar(select(Share).where(Share.token_hash == token_hash, *works()))


async def count_working(session: AsyncSession, run_id: UUID) -> int:
    """The links to a run's report that open it now."""
    query = select(func.count(Share.id)).where(Share.run_id == run_id, *works())
    return await session.scalar(query) or 0


def works() -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Conditions of a link that opens a report now."""
    return Share.revoked_at.is_(None), or_(Share.expires_at.is_(None), Share.expires_at > func.now())


async def count_opening(session: AsyncSession, share_id: UUID) -> None:
    """Once more. The row is locked until the commit."""
    counting = update(Share).where(Share.id == share_id)
    await session.execute(counting.values(opened=Share.opened + 1, last_opened_at=func.now()))


async def shares_of_run(session: AsyncSession, run_id: UUID) -> Sequence[Share]:
    query = select(Share).where(Share.run_id == run_id).order_by(Share.created_at.desc())
    return (await session.scalars(query)).all()
