"""SQL of shares."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.reports.models import Share


async def share(session: AsyncSession, share_id: UUID) -> Share | None:
    return await session.get(Share, share_id)


async def open_share(session: AsyncSession, token_hash: str) -> Share | None:
    """The share behind a token, unless it was revoked or has expired."""
    query = select(Share).where(
        Share.token_hash == token_hash,
        Share.revoked_at.is_(None),
        (Share.expires_at.is_(None)) | (Share.expires_at > func.now()),
    )
    return await session.scalar(query)


async def shares_of_run(session: AsyncSession, run_id: UUID) -> Sequence[Share]:
    query = select(Share).where(Share.run_id == run_id).order_by(Share.created_at.desc())
    return (await session.scalars(query)).all()
