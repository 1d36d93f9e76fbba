"""Signing in with a password, and replacing it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import passkeys, passwords, repository, sessions
from ngxlab.accounts.client import Client, is_known_device, remember_device
from ngxlab.accounts.models import Account, LoginSession
from ngxlab.accounts.passkeys import PasskeyRefused, Purpose
from ngxlab.accounts.schemas import LoginRequest, PasskeyAnswer, PasswordChange
from ngxlab.accounts.secrets import token_hash
from ngxlab.accounts.service import actor
from ngxlab.accounts.sessions import Opened
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.errors import Conflict, NotSignedIn, invalid
from ngxlab.core.throttle import Budget, Taken, Throttle

_BY_DEVICE = 10
_BY_SESSION = 10
_BY_ACCOUNT_AND_ADDRESS = 10
_BY_ADDRESS = 50
"""People behind one address translation share it."""
_BY_ACCOUNT = 100
"""Attempts on an account from all unknown devices: ten times those of one address, so that only many use it up."""

_REFUSAL = "Too many wrong passwords."


@dataclass(frozen=True)
class Attempt:
    """A password about to be checked. Whoever succeeds starts afresh with the ``own`` budgets."""

    taken: Taken
    own: tuple[Budget, ...]

    async def succeeded(self) -> None:
        await self.taken.succeeded(forgotten=self.own)

    async def half_succeeded(self) -> None:
        """The password was right, and a passkey is asked for: others are not held up, but it is not over."""
        await self.taken.succeeded(counted=self.own)


async def count_sign_in(throttle: Throttle, email: str, client: Client, known_device: str | None) -> Attempt:
    """Before the password of a sign-in is checked. ``known_device``: its cookie's hash, if the account knows it.

    Raises TooManyRequests.
    """
    if known_device is not None:
        own = Budget("device", f"{known_device} {email}", _BY_DEVICE)
        return Attempt(await throttle.take(own, refusal=_REFUSAL), (own,))
    own = Budget("account-address", f"{client.site} {email}", _BY_ACCOUNT_AND_ADDRESS)
    address = Budget("address", client.site, _BY_ADDRESS)
    account = Budget("account", email, _BY_ACCOUNT)
    return Attempt(await throttle.take(own, address, account, refusal=_REFUSAL), (own,))


async def count_in_session(throttle: Throttle, session_hash: str, refusal: str = _REFUSAL) -> Attempt:
    """Before somebody who is signed in has their password or passkey checked again. Raises TooManyRequests."""
    own = Budget("session", session_hash, _BY_SESSION)
    return Attempt(await throttle.take(own, refusal=refusal), (own,))


@dataclass(frozen=True)
class SignedIn:
    opened: Opened
    device_cookie: str


async def sign_in(
    database: Database, throttle: Throttle, request: LoginRequest, client: Client, settings: Settings
) -> SignedIn:
    """A new session. No connection to the database is held while the password is checked, which takes a while.

    Raises NotSignedIn with one message for every cause, so that accounts cannot be enumerated, and TooManyRequests;
    once the password was right, PasskeyRequired and PasskeyWrong.
    """
    async with database.transaction() as session:
        account = await repository.account_by_email(session, request.email)
        known = account is not None and await is_known_device(session, account.id, client.device)
    known_device = token_hash(client.device) if client.device and known else None
    attempt = await count_sign_in(throttle, request.email, client, known_device)
    stored = account.password_hash if account else None
    if not await passwords.matches(stored, request.password) or account is None:
        raise _wrong()
    confirmed_at = await _second_factor(database, settings, account, request.passkey, attempt)
    async with database.transaction() as session:
        account = await repository.locked_account(session, account.id)
        if account is None or account.disabled_at is not None or account.password_hash != stored:
            raise _wrong()
        _require_valid_still(account)
        hours = settings.session_hours
        opened = await sessions.open_session(session, account, client, hours, confirmed_at=confirmed_at)
        cookie = await remember_device(session, account.id, client.device)
        method = "password and passkey" if confirmed_at else "password"
        await record(session, actor(account), Act.signed_in, method=method)
    await attempt.succeeded()
    return SignedIn(opened, cookie)


class PasskeyRequired(NotSignedIn):
    """The password was right, and the account has passkeys. ``passkey``: what its person's device is asked."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__("Confirm with your passkey that it is you.", code="passkey-required")
        self.more = {"passkey": options}


class PasskeyWrong(NotSignedIn):
    """The password was right, and the passkey's answer is not."""


async def _second_factor(
    database: Database, settings: Settings, account: Account, answer: PasskeyAnswer | None, attempt: Attempt
) -> datetime | None:
    """When the person proved to have one of their passkeys; None where they have none.

    A disabled account, which nobody gets into, is asked for nothing.
    """
    if account.disabled_at is not None:
        return None
    async with database.transaction() as session:
        if answer is not None:
            try:
                await passkeys.prove(session, settings, account.id, Purpose.sign_in, answer)
            except PasskeyRefused as refused:
                raise PasskeyWrong(str(refused), code=refused.code) from refused
            return utcnow()
        options = await passkeys.ask(session, settings, account.id, Purpose.sign_in)
    if options is None:
        return None
    await attempt.half_succeeded()
    raise PasskeyRequired(options)


async def change_password(
    session: AsyncSession,
    throttle: Throttle,
    login: LoginSession,
    request: PasswordChange,
    *,
    client: Client,
    hours: int,
) -> Opened:
    """Replaces the password and ends all sessions and tokens; the browser goes on with a session that is new."""
    attempt = await count_in_session(throttle, login.token_hash)
    stored, email = login.account.password_hash, login.account.email
    if not await passwords.matches(stored, request.current_password):
        raise invalid("current_password", "This is not your current password.")
    await attempt.succeeded()
    if request.new_password == request.current_password:
        raise invalid("new_password", "This is the password you have. Choose another.")
    await passwords.require_strong(request.new_password, email, "new_password")
    hashed = await passwords.hashed(request.new_password)
    account = await repository.locked_account(session, login.account_id)
    if account is None or account.password_hash != stored:
        raise Conflict("Your password was changed elsewhere just now. Sign in again.", code="password-changed")
    account.password_hash, account.one_time_password_until = hashed, None
    await sessions.revoke_all_access(session, account.id)
    return await sessions.open_session(session, account, client, hours, confirmed_at=login.confirmed_at)


def _wrong() -> NotSignedIn:
    return NotSignedIn("The e-mail address or the password is wrong.", code="wrong-credentials")


def _require_valid_still(account: Account) -> None:
    until = account.one_time_password_until
    if until is not None and until <= utcnow():
        raise NotSignedIn(
            "This one-time password has expired. Ask an administrator for a new one.", code="one-time-password-expired"
        )
