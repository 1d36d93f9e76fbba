"""Accounts, as administrators manage them."""

from datetime import timedelta
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import devices, passwords, repository, secrets, sessions
from ngxlab.accounts.models import Account, Role
from ngxlab.accounts.schemas import AccountCreate, AccountOut, AccountUpdate, OneTimePassword
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict, FieldProblem, NotFound

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
    await devices.forget_all(session, account.id)
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
    problem = FieldProblem(field="email", message=f"{email} already has an account.")
    return Conflict(problem.message, code="email-taken", errors=[problem])


def _unknown() -> NotFound:
    return NotFound("There is no such account.")
