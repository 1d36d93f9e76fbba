"""Personal API tokens, for scripts. They are made in a browser's session only: no token makes another."""

from datetime import timedelta
from uuid import UUID

from ngxlab_contracts.sentences import say
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository, secrets
from ngxlab.accounts.models import Account, ApiToken, Role
from ngxlab.accounts.schemas import TokenCreate, TokenCreated, TokenOut
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import NotFound, invalid


async def create(session: AsyncSession, account: Account, request: TokenCreate) -> TokenCreated:
    """Raises Invalid for a scope beyond what its owner may do."""
    if not Role(account.role).includes(request.scope.role):
        needed = say(
            "A token of this scope needs the role {role}; yours is {own}.", role=request.scope.role, own=account.role
        )
        raise invalid("scope", needed)
    secret = secrets.new_token(secrets.API_TOKEN_PREFIX)
    now = utcnow()
    token = ApiToken(
        account_id=account.id,
        name=request.name,
        scope=request.scope,
        token_hash=secrets.token_hash(secret),
        created_at=now,
        expires_at=now + timedelta(days=request.expires_in_days),
    )
    session.add(token)
    await session.flush()
    return TokenCreated(**TokenOut.model_validate(token).model_dump(), token=secret)


async def list_of(session: AsyncSession, account_id: UUID) -> list[TokenOut]:
    """The account's tokens, without those that were revoked."""
    return [TokenOut.model_validate(token) for token in await repository.api_tokens_of(session, account_id)]


async def revoke(session: AsyncSession, account_id: UUID, token_id: UUID) -> ApiToken:
    """Revoking a token twice is harmless. Raises NotFound where the account has no such token."""
    token = await session.get(ApiToken, token_id)
    if token is None or token.account_id != account_id:
        raise NotFound("There is no such token.")
    token.revoked_at = token.revoked_at or utcnow()
    return token


async def revoke_all(session: AsyncSession, account_id: UUID) -> None:
    await repository.revoke_tokens_of(session, account_id, utcnow())
