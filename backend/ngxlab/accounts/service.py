"""Signing in, accounts and personal tokens."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository, secrets
from ngxlab.accounts.models import Account, ApiToken, Role
from ngxlab.accounts.schemas import AccountCreate, AccountCreated, AccountOut, AccountUpdate, TokenCreate, TokenCreated
from ngxlab.accounts.sessions import Opened, open_session
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict, FieldProblem, Invalid, NotFound, NotSignedIn


async def sign_in(session: AsyncSession, email: str, password: str, hours: int) -> Opened:
    """A new session and its cookie value.

    Raises NotSignedIn with one message for every cause, so that accounts cannot be enumerated.
    """
    account = await repository.account_by_email(session, email)
    stored = account.password_hash if account else None
    matches = await asyncio.to_thread(secrets.password_matches, stored, password)
    if account is None or not matches or account.disabled_at is not None:
        raise NotSignedIn("The e-mail address or the password is wrong.", code="wrong-credentials")
    return await open_session(session, account, hours)


async def change_password(
    session: AsyncSession, account: Account, current: str, new: str, keep_session: str | None
) -> None:
    """Changes the password and ends the account's other sessions."""
    if not secrets.password_matches(account.password_hash, current):
        problem = FieldProblem(field="current_password", message="This is not your current password.")
        raise Invalid(problem.message, errors=[problem])
    account.password_hash = secrets.hash_password(new)
    keep_hash = secrets.token_hash(keep_session) if keep_session else None
    await repository.delete_sessions_of(session, account.id, keep_hash=keep_hash)


async def create_account(session: AsyncSession, request: AccountCreate) -> AccountCreated:
    if await repository.account_by_email(session, request.email):
        problem = FieldProblem(field="email", message=f"{request.email} already has an account.")
        raise Conflict(problem.message, code="email-taken", errors=[problem])
    password = request.password or secrets.new_password()
    account = Account(email=request.email, role=request.role, password_hash=secrets.hash_password(password))
    session.add(account)
    await session.flush()
    made_here = None if request.password else password
    return AccountCreated(account=AccountOut.model_validate(account), password=made_here)


async def update_account(session: AsyncSession, account_id: UUID, request: AccountUpdate) -> Account:
    """Change an account's role or disable it. Raises Conflict if no active administrator would be left."""
    account = await repository.account_by_id(session, account_id)
    if account is None:
        raise NotFound("There is no such account.")
    loses_rights = request.disabled or (request.role is not None and request.role != Role.administrator)
    was_needed = account.role == Role.administrator and loses_rights
    if was_needed and not await repository.other_active_administrators(session, account.id):
        raise Conflict("At least one active administrator must remain.", code="last-administrator")
    if request.role is not None:
        account.role = request.role
    if request.disabled is not None:
        account.disabled_at = utcnow() if request.disabled else None
    if request.disabled:
        await repository.delete_sessions_of(session, account.id)
    return account


async def create_token(session: AsyncSession, account: Account, request: TokenCreate) -> TokenCreated:
    secret = secrets.new_token(secrets.API_TOKEN_PREFIX)
    expires_at = utcnow() + timedelta(days=request.expires_in_days) if request.expires_in_days else None
    token = ApiToken(
        account_id=account.id, name=request.name, token_hash=secrets.token_hash(secret), expires_at=expires_at
    )
    session.add(token)
    await session.flush()
    await session.refresh(token, ["created_at"])
    return TokenCreated(
        id=token.id,
        name=token.name,
        created_at=token.created_at,
        expires_at=expires_at,
        last_used_at=None,
        token=secret,
    )


async def revoke_token(session: AsyncSession, account: Account, token_id: UUID) -> ApiToken:
    """Only the account's own tokens. Revoking a token twice is harmless."""
    token = await session.get(ApiToken, token_id)
    if token is None or token.account_id != account.id:
        raise NotFound("There is no such token.")
    token.revoked_at = token.revoked_at or utcnow()
    return token


async def tokens_of(session: AsyncSession, account: Account) -> Sequence[ApiToken]:
    return await repository.api_tokens_of(session, account.id)
