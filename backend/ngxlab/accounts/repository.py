"""SQL of accounts, sessions and tokens."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.models import Account, ApiToken, LoginSession, Role


async def account_by_email(session: AsyncSession, email: str) -> Account | None:
    return await session.scalar(select(Account).where(Account.email == email))


async def account_by_id(session: AsyncSession, account_id: UUID) -> Account | None:
    return await session.get(Account, account_id)


async def accounts(session: AsyncSession) -> Sequence[Account]:
    return (await session.scalars(select(Account).order_by(Account.email))).all()


async def other_active_administrators(session: AsyncSession, account_id: UUID) -> int:
    """Locks the administrators, so that two of them cannot demote each other at once."""
    locked = select(Account.id).where(
        Account.role == Role.administrator, Account.disabled_at.is_(None), Account.id != account_id
    )
    return len((await session.scalars(locked.with_for_update())).all())


async def session_by_hash(session: AsyncSession, token_hash: str, now: datetime) -> LoginSession | None:
    query = select(LoginSession).where(LoginSession.token_hash == token_hash, LoginSession.expires_at > now)
    return await session.scalar(query)


async def delete_session(session: AsyncSession, token_hash: str) -> None:
    await session.execute(delete(LoginSession).where(LoginSession.token_hash == token_hash))


async def delete_sessions_of(session: AsyncSession, account_id: UUID, *, keep_hash: str | None = None) -> None:
    query = delete(LoginSession).where(LoginSession.account_id == account_id)
    if keep_hash is not None:
        query = query.where(LoginSession.token_hash != keep_hash)
    await session.execute(query)


async def delete_expired_sessions(session: AsyncSession, now: datetime) -> None:
    await session.execute(delete(LoginSession).where(LoginSession.expires_at <= now))


async def api_token_by_hash(session: AsyncSession, token_hash: str, now: datetime) -> ApiToken | None:
    query = select(ApiToken).where(
        ApiToken.token_hash == token_hash,
        ApiToken.revoked_at.is_(None),
        (ApiToken.expires_at.is_(None)) | (ApiToken.expires_at > now),
    )
    return await session.scalar(query)


async def note_token_use(session: AsyncSession, token_id: UUID, now: datetime) -> None:
    """Stored at most once a minute, so that a busy script does not write with every request."""
    stale = (ApiToken.last_used_at.is_(None)) | (ApiToken.last_used_at < now - func.make_interval(0, 0, 0, 0, 0, 1))
    await session.execute(update(ApiToken).where(ApiToken.id == token_id, stale).values(last_used_at=now))


async def api_tokens_of(session: AsyncSession, account_id: UUID) -> Sequence[ApiToken]:
    query = select(ApiToken).where(ApiToken.account_id == account_id, ApiToken.revoked_at.is_(None))
    return (await session.scalars(query.order_by(ApiToken.created_at))).all()
