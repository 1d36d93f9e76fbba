"""Browsers' sessions, opened for somebody who has just proved who they are."""

from datetime import timedelta
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository, secrets
from ngxlab.accounts.models import Account, LoginSession
from ngxlab.core.clock import utcnow


class Opened(NamedTuple):
    """A new session, and the cookie that only the browser keeps."""

    login: LoginSession
    cookie: str


async def open_session(session: AsyncSession, account: Account, hours: int) -> Opened:
    now = utcnow()
    await repository.delete_expired_sessions(session, now)
    cookie = secrets.new_token(secrets.SESSION_PREFIX)
    login = LoginSession(
        account_id=account.id,
        account=account,
        token_hash=secrets.token_hash(cookie),
        csrf_token=secrets.new_token(""),
        expires_at=now + timedelta(hours=hours),
    )
    session.add(login)
    return Opened(login, cookie)
