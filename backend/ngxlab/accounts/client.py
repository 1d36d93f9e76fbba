"""Where a request comes from, as far as people want to know it of their sessions; and browsers from which they have
signed in before, by a cookie of their own, which ``sign_in`` counts attempts by."""

from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv6Address, ip_address
from uuid import UUID

from fastapi import Request, Response
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository, secrets
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings

SESSION_COOKIE = "ngxlab_session"
DEVICE_COOKIE = "ngxlab_device"
_MAX_USER_AGENT, _MAX_ADDRESS = 300, 64
_SITE_PREFIX_BITS = 64
"""A customer gets at least such a network of IPv6 addresses, and may choose addresses from it at will."""


@dataclass(frozen=True)
class Client:
    """``address``: of the connection, or as a trusted proxy tells it. ``user_agent``: what the program calls itself.

    ``device``: the cookie by which the browser is known (``devices``).
    """

    address: str
    user_agent: str | None = None
    device: str | None = None

    @property
    def site(self) -> str:
        """The address, or the IPv6 network, for which attempts are counted together."""
        try:
            address = ip_address(self.address)
        except ValueError:
            return self.address
        if not isinstance(address, IPv6Address):
            return str(address)
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return f"{IPv6Address(int(address) >> (128 - _SITE_PREFIX_BITS) << (128 - _SITE_PREFIX_BITS))}/64"


def client_of(request: Request) -> Client:
    agent = "".join(c for c in request.headers.get("User-Agent", "") if c.isprintable())[:_MAX_USER_AGENT]
    address = request.client.host[:_MAX_ADDRESS] if request.client else "unknown"
    return Client(address, agent or None, request.cookies.get(DEVICE_COOKIE) or None)


_REMEMBERED = timedelta(days=180)
_MAX_OF_AN_ACCOUNT = 20


async def is_known_device(session: AsyncSession, account_id: UUID, cookie: str | None) -> bool:
    """Whether this account was signed in to from the device."""
    if cookie is None:
        return False
    return await repository.device_known(session, secrets.token_hash(cookie), utcnow() - _REMEMBERED, account_id)


async def remember_device(session: AsyncSession, account_id: UUID, cookie: str | None) -> str:
    """After a sign-in: the cookie that the browser is to keep. A value that we did not make is replaced."""
    oldest = utcnow() - _REMEMBERED
    if cookie is None or not await repository.device_known(session, secrets.token_hash(cookie), oldest):
        cookie = secrets.new_token(secrets.DEVICE_PREFIX)
    await repository.remember_device(session, account_id, secrets.token_hash(cookie), utcnow())
    await repository.forget_oldest_devices(session, account_id, keep=_MAX_OF_AN_ACCOUNT)
    return cookie


async def forget_devices(session: AsyncSession, account_id: UUID) -> None:
    await repository.delete_devices_of(session, account_id)


def set_device_cookie(response: Response, cookie: str, *, secure: bool) -> None:
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


def set_session_cookie(response: Response, cookie: str, settings: Settings) -> None:
    response.set_cookie(
        SESSION_COOKIE,
        cookie,
        max_age=settings.session_hours * 3600,
        httponly=True,
        samesite="lax",
        secure=settings.secure_cookies,
        path="/",
    )
