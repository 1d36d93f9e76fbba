"""SQL of identities and of leave to link them."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.oidc.models import AccountIdentity, LinkPermit


async def one_at_a_time(session: AsyncSession, email: str) -> None:
    """Two first sign-ins of one person at once make one account. Holds until the commit."""
    await session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"ngxlab account {email}", 0))))


async def identity(session: AsyncSession, issuer: str, subject: str) -> AccountIdentity | None:
    return await session.get(AccountIdentity, (issuer, subject))


async def identities(session: AsyncSession) -> Sequence[AccountIdentity]:
    return (await session.scalars(select(AccountIdentity).order_by(AccountIdentity.created_at))).all()


async def has_identity(session: AsyncSession, account_id: UUID) -> bool:
    query = select(AccountIdentity.subject).where(AccountIdentity.account_id == account_id)
    return await session.scalar(query.limit(1)) is not None


async def permits(session: AsyncSession, now: datetime) -> dict[UUID, datetime]:
    """Valid leave to link, by account: until when."""
    rows = await session.execute(
        select(LinkPermit.account_id, LinkPermit.expires_at).where(LinkPermit.expires_at > now)
    )
    return {row.account_id: row.expires_at for row in rows}


async def permit(session: AsyncSession, account_id: UUID, expires_at: datetime) -> None:
    row = insert(LinkPermit).values(account_id=account_id, expires_at=expires_at)
    await session.execute(row.on_conflict_do_update(index_elements=["account_id"], set_={"expires_at": expires_at}))


async def take_permit(session: AsyncSession, account_id: UUID, now: datetime) -> bool:
    """Whether there was valid leave. It holds for one identity."""
    taken = delete(LinkPermit).where(LinkPermit.account_id == account_id).returning(LinkPermit.expires_at)
    expires_at = await session.scalar(taken)
    return expires_at is not None and expires_at > now
