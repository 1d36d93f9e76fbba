"""Browsers' sessions: opened by a sign-in, ended by their owner, by administrators, and by what makes them doubtful."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository, secrets, tokens
from ngxlab.accounts.client import Client
from ngxlab.accounts.models import Account, LoginSession
from ngxlab.accounts.schemas import SessionOut
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import NotFound


class Opened(NamedTuple):
    """A new session, and the cookie that only the browser keeps."""

    login: LoginSession
    cookie: str


async def open_session(
    session: AsyncSession, account: Account, client: Client, hours: int, *, confirmed_at: datetime | None = None
) -> Opened:
    """Opens a session for somebody who has just proved who they are."""
    now = utcnow()
    await repository.delete_expired_sessions(session, now)
    cookie = secrets.new_token(secrets.SESSION_PREFIX)
    login = LoginSession(
        account_id=account.id,
        account=account,
        token_hash=secrets.token_hash(cookie),
        csrf_token=secrets.new_token(""),
        expires_at=now + timedelta(hours=hours),
        last_used_at=now,
        address=client.address,
        user_agent=client.user_agent,
        confirmed_at=confirmed_at,
    )
    session.add(login)
    return Opened(login, cookie)


async def list_of(session: AsyncSession, account_id: UUID, *, current: UUID | None = None) -> list[SessionOut]:
    """An account's open sessions, the latest used first."""
    found: Sequence[LoginSession] = await repository.sessions_of(session, account_id, utcnow())
    return [SessionOut.of(login, is_current=login.id == current) for login in found]


async def end(session: AsyncSession, account_id: UUID, session_id: UUID) -> None:
    """Raises NotFound where the account has no such session."""
    if not await repository.delete_session_of(session, account_id, session_id):
        raise NotFound("There is no such session. It may have ended.")


async def end_all(session: AsyncSession, account_id: UUID, *, keep: UUID | None = None) -> None:
    await repository.delete_sessions_of(session, account_id, keep=keep)


async def revoke_all_access(session: AsyncSession, account_id: UUID) -> None:
    """End all sessions and tokens, after whatever was behind them has changed."""
    await end_all(session, account_id)
    await tokens.revoke_all(session, account_id)
