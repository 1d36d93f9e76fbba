"""Browsers from which people have signed in before, by a cookie of their own. What that is for: ``attempts``."""

from datetime import timedelta
from uuid import UUID

from fastapi import Response
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository, secrets
from ngxlab.accounts.client import DEVICE_COOKIE
from ngxlab.core.clock import utcnow

_REMEMBERED = timedelta(days=180)
_MAX_OF_AN_ACCOUNT = 20


async def is_known(session: AsyncSession, account_id: UUID, cookie: str | None) -> bool:
    """Whether this account was signed in to from the device."""
    if cookie is None:
        return False
    return await repository.device_known(session, secrets.token_hash(cookie), utcnow() - _REMEMBERED, account_id)


async def remember(session: AsyncSession, account_id: UUID, cookie: str | None) -> str:
    """After a sign-in: the cookie that the browser is to keep. A value that we did not make is replaced."""
    oldest = utcnow() - _REMEMBERED
    if cookie is None or not await repository.device_known(session, secrets.token_hash(cookie), oldest):
        cookie = secrets.new_token(secrets.DEVICE_PREFIX)
    await repository.remember_device(session, account_id, secrets.token_hash(cookie), utcnow())
    await repository.forget_oldest_devices(session, account_id, keep=_MAX_OF_AN_ACCOUNT)
    return cookie


async def forget_all(session: AsyncSession, account_id: UUID) -> None:
    await repository.delete_devices_of(session, account_id)


def set_cookie(response: Response, cookie: str, *, secure: bool) -> None:
    """Sent back only to where people sign in."""
    response.set_cookie(
        DEVICE_COOKIE,
        cookie,
        max_age=int(_REMEMBERED.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=secure,
        path="/api/v1/auth",
    )
