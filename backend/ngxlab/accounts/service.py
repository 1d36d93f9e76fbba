"""Accounts, as administrators manage them."""

from datetime import timedelta
from uuid import UUID

from ngxlab_contracts.sentences import say
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import passwords, repository, secrets, sessions
from ngxlab.accounts.client import forget_devices
from ngxlab.accounts.models import Account, Role
from ngxlab.accounts.schemas import AccountCreate, AccountOut, AccountUpdate, OneTimePassword
from ngxlab.audit.acts import Act
from ngxlab.audit.record import ANYONE, Actor, Object, network, record_once
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.core.errors import Conflict, FieldProblem, NotFound
from ngxlab.core.request_context import current_request

_ONE_TIME_PASSWORD_LIFE = timedelta(days=3)


async def get(session: AsyncSession, account_id: UUID) -> Account:
    """Raises NotFound."""
    account = await repository.account_by_id(session, account_id)
    if account is None:
        raise _unknown()
    return account


async def add_account(session: AsyncSession, request: AccountCreate, password: str) -> Account:
    """An account with a password that its owner chose. Raises Conflict where the address has one already."""
    if await repository.account_by_email(session, request.email):
        raise _taken(request.email)
    account = Account(email=request.email, role=request.role, password_hash=await passwords.hashed(password))
    session.add(account)
    try:
        await session.flush()
    except IntegrityError as error:  # somebody was faster
        raise _taken(request.email) from error
    return account


async def create_account(session: AsyncSession, request: AccountCreate) -> OneTimePassword:
    """An account with a one-time password."""
    password = secrets.new_password()
    account = await add_account(session, request, password)
    return _given_once(account, password)


async def reset_password(session: AsyncSession, account_id: UUID, caller_id: UUID) -> OneTimePassword:
    """A one-time password instead of the account's own; what the old one has opened is shut.

    Raises Conflict for the caller's own account, whose password has a page of its own.
    """
    if account_id == caller_id:
        raise Conflict("Change your own password on the page Account.", code="own-account")
    password = secrets.new_password()
    hashed = await passwords.hashed(password)
    account = await _locked(session, account_id)
    account.password_hash = hashed
    await sessions.revoke_all_access(session, account.id)
    await forget_devices(session, account.id)
    return _given_once(account, password)


async def update_account(session: AsyncSession, account_id: UUID, request: AccountUpdate) -> Account:
    """Change an account's role, disable or enable it; either change ends its sessions and tokens.

    Raises Conflict if no active administrator would be left.
    """
    administrators = await repository.lock_active_administrators(session)
    account = await _locked(session, account_id)
    loses_rights = request.disabled or (request.role is not None and request.role != Role.administrator)
    if loses_rights and administrators == {account.id}:
        raise Conflict("At least one active administrator must remain.", code="last-administrator")
    role = request.role or Role(account.role)
    disabled = account.disabled_at is not None if request.disabled is None else request.disabled
    if role != account.role or disabled != (account.disabled_at is not None):
        account.role = role
        account.disabled_at = (account.disabled_at or utcnow()) if disabled else None
        await sessions.revoke_all_access(session, account.id)
    return account


async def _locked(session: AsyncSession, account_id: UUID) -> Account:
    account = await repository.locked_account(session, account_id)
    if account is None:
        raise _unknown()
    return account


def _given_once(account: Account, password: str) -> OneTimePassword:
    account.one_time_password_until = utcnow() + _ONE_TIME_PASSWORD_LIFE
    return OneTimePassword(
        account=AccountOut.model_validate(account), password=password, expires_at=account.one_time_password_until
    )


def _taken(email: str) -> Conflict:
    problem = FieldProblem(field="email", message=say("{email} already has an account.", email=email))
    return Conflict(problem.message, code="email-taken", errors=[problem])


def _unknown() -> NotFound:
    return NotFound("There is no such account.")


def account_object(account: Account) -> Object:
    return Object("account", account.id, account.email)


def actor(account: Account) -> Actor:
    """Somebody who has just proved to be the owner of this account."""
    return Actor("person", account.email, account.id)


async def record_failed_sign_in(database: Database, email: str | None, reason: str) -> None:
    """Enter a refused sign-in, in a transaction of its own because the refusal rolls the request's back.

    Entered once a day by account, reason and network, and counted: guessing must not fill the log. An address that
    has no account is left out, since people type passwords into the wrong field.
    """
    request = current_request()
    source = network(request.address if request else None)
    async with database.transaction() as own:
        account = await repository.account_by_email(own, email) if email else None
        key = f"sign-in-failed {account.id if account else '-'} {reason} {source} {utcnow():%Y-%m-%d}"
        on = account_object(account) if account else None
        await record_once(own, key, ANYONE, Act.sign_in_failed, on, reason=reason, network=source)
