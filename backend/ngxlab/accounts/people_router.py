"""/accounts: people and their identities at the provider, as administrators manage them."""

from datetime import timedelta
from uuid import UUID

from fastapi import APIRouter, Request, status

from ngxlab.accounts import passkeys, repository, service, sessions, tokens
from ngxlab.accounts.access import Administrator, AdministratorInPerson, AdministratorInPersonConfirmed
from ngxlab.accounts.models import Account
from ngxlab.accounts.schemas import (
    AccountCreate,
    AccountOut,
    AccountUpdate,
    IdentityLinks,
    LinkedIdentity,
    LinkPermitUpdate,
    OneTimePassword,
    PasskeyOut,
    SessionOut,
    TokenOut,
)
from ngxlab.accounts.service import account_object
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.clock import utcnow
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, responses
from ngxlab.core.paging import Page, Paging

router = APIRouter(route_class=GuardedRoute, prefix="/accounts", tags=["accounts"])


@router.get("")
async def list_accounts(session: SessionDep, _: Administrator, page: Paging) -> Page[AccountOut]:
    """All accounts."""
    return page.of([AccountOut.model_validate(one) for one in await repository.accounts(session)])


@router.post("", status_code=status.HTTP_201_CREATED, responses=responses(Conflict))
async def create_account(
    body: AccountCreate, session: SessionDep, caller: AdministratorInPersonConfirmed
) -> OneTimePassword:
    """Create an account with a one-time password, which only this answer contains."""
    made = await service.create_account(session, body)
    on = Object("account", made.account.id, made.account.email)
    await record(session, caller.actor, Act.account_created, on, role=body.role)
    return made


@router.get("/{account_id:uuid}", response_model=AccountOut)
async def get_account(account_id: UUID, session: SessionDep, _: Administrator) -> Account:
    """One account."""
    return await service.get(session, account_id)


@router.patch("/{account_id:uuid}", response_model=AccountOut)
async def update_account(
    account_id: UUID, body: AccountUpdate, session: SessionDep, caller: AdministratorInPersonConfirmed
) -> Account:
    """Change an account's role, disable or enable it; either change ends its sessions and tokens."""
    account = await service.update_account(session, account_id, body)
    changes = body.model_dump(exclude_none=True)
    await record(session, caller.actor, Act.account_changed, account_object(account), **changes)
    return account


@router.post("/{account_id:uuid}/one-time-password")
async def reset_password(
    account_id: UUID, session: SessionDep, caller: AdministratorInPersonConfirmed
) -> OneTimePassword:
    """Replace somebody's password by a one-time password, and end their sessions and tokens."""
    made = await service.reset_password(session, account_id, caller.account.id)
    on = Object("account", made.account.id, made.account.email)
    await record(session, caller.actor, Act.password_reset, on)
    return made


@router.get("/{account_id:uuid}/sessions")
async def list_account_sessions(
    account_id: UUID, session: SessionDep, caller: AdministratorInPerson, page: Paging
) -> Page[SessionOut]:
    """Somebody's sessions: which browsers are signed in."""
    account = await service.get(session, account_id)
    current = caller.login.id if caller.login else None
    return page.of(await sessions.list_of(session, account.id, current=current))


@router.delete("/{account_id:uuid}/sessions", status_code=status.HTTP_204_NO_CONTENT)
async def end_account_sessions(account_id: UUID, session: SessionDep, caller: AdministratorInPerson) -> None:
    """End all of somebody's sessions."""
    account = await service.get(session, account_id)
    await sessions.end_all(session, account.id)
    await record(session, caller.actor, Act.sessions_ended, account_object(account))


@router.delete("/{account_id:uuid}/sessions/{session_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def end_account_session(
    account_id: UUID, session_id: UUID, session: SessionDep, caller: AdministratorInPerson
) -> None:
    """End one of somebody's sessions."""
    account = await service.get(session, account_id)
    await sessions.end(session, account.id, session_id)
    await record(session, caller.actor, Act.session_ended, account_object(account))


@router.get("/{account_id:uuid}/tokens")
async def list_account_tokens(
    account_id: UUID, session: SessionDep, _: AdministratorInPerson, page: Paging
) -> Page[TokenOut]:
    """Somebody's API tokens."""
    account = await service.get(session, account_id)
    return page.of(await tokens.list_of(session, account.id))


@router.delete("/{account_id:uuid}/tokens", status_code=status.HTTP_204_NO_CONTENT)
async def revoke_account_tokens(account_id: UUID, session: SessionDep, caller: AdministratorInPerson) -> None:
    """Revoke all of somebody's tokens immediately."""
    account = await service.get(session, account_id)
    await tokens.revoke_all(session, account.id)
    await record(session, caller.actor, Act.tokens_revoked, account_object(account))


@router.delete("/{account_id:uuid}/tokens/{token_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def revoke_account_token(
    account_id: UUID, token_id: UUID, session: SessionDep, caller: AdministratorInPerson
) -> None:
    """Revoke one of somebody's tokens immediately."""
    account = await service.get(session, account_id)
    token = await tokens.revoke(session, account.id, token_id)
    on = Object("token", token.id, token.name)
    await record(session, caller.actor, Act.token_revoked, on, of=account.email)


@router.get("/{account_id:uuid}/passkeys")
async def list_account_passkeys(
    account_id: UUID, session: SessionDep, _: AdministratorInPerson, page: Paging
) -> Page[PasskeyOut]:
    """Somebody's passkeys."""
    account = await service.get(session, account_id)
    return page.of([PasskeyOut.model_validate(key) for key in await repository.passkeys_of(session, account.id)])


@router.delete("/{account_id:uuid}/passkeys", status_code=status.HTTP_204_NO_CONTENT)
async def remove_account_passkeys(
    account_id: UUID, session: SessionDep, caller: AdministratorInPersonConfirmed
) -> None:
    """Remove all of somebody's passkeys, who has lost their device: from now on their password is enough."""
    await passkeys.remove_all(session, caller.actor, await service.get(session, account_id))


_PERMIT_FOR = timedelta(days=7)


@router.get("/identities")
async def list_identities(request: Request, session: SessionDep, _: AdministratorInPerson) -> IdentityLinks:
    """Which accounts sign in at the provider, and which may be linked to it."""
    found = await repository.identities(session)
    return IdentityLinks(
        enabled=request.app.state.oidc is not None,
        identities=[LinkedIdentity.model_validate(identity) for identity in found],
        permitted=await repository.permits(session, utcnow()),
    )


@router.put("/{account_id:uuid}/link-permit", status_code=status.HTTP_204_NO_CONTENT)
async def permit_link(
    account_id: UUID, body: LinkPermitUpdate, session: SessionDep, caller: AdministratorInPersonConfirmed
) -> None:
    """Let the next identity with this account's verified address sign in as this account, once, within seven days."""
    account = await service.get(session, account_id)
    if body.allowed:
        await repository.permit(session, account_id, utcnow() + _PERMIT_FOR)
    else:
        await repository.take_permit(session, account_id, utcnow())
    await record(session, caller.actor, Act.link_permitted, account_object(account), allowed=body.allowed)
