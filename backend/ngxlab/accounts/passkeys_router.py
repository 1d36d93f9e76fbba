"""/auth/passkeys: one's own passkeys, and confirming by one that it is still oneself."""

from uuid import UUID

from fastapi import APIRouter, Request, status

from ngxlab.accounts import passkeys, passwords, repository, service, sign_in
from ngxlab.accounts.access import BeforePasskey, BeforePasskeyConfirmed, InPerson, own_session
from ngxlab.accounts.passkeys import PasskeyRefused, Purpose
from ngxlab.accounts.schemas import (
    OwnPasskeys,
    PasskeyBegin,
    PasskeyConfirmation,
    PasskeyCreate,
    PasskeyOptions,
    PasskeyOut,
)
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Forbidden, TooManyRequests, invalid, responses
from ngxlab.core.paging import Paging

router = APIRouter(route_class=GuardedRoute, prefix="/auth/passkeys", tags=["accounts"])


@router.get("")
async def list_passkeys(request: Request, session: SessionDep, caller: BeforePasskey, page: Paging) -> OwnPasskeys:
    """Your own passkeys, and whether this installation's address can have any."""
    settings: Settings = request.app.state.settings
    keys = [PasskeyOut.model_validate(key) for key in await repository.passkeys_of(session, caller.account.id)]
    found = page.of(keys)
    return OwnPasskeys(
        items=found.items, next=found.next, unavailable=settings.passkey_obstacle, origin=settings.public_origin
    )


@router.post("/registration", responses=responses(Conflict, TooManyRequests))
async def begin_passkey(
    body: PasskeyBegin, request: Request, session: SessionDep, caller: BeforePasskeyConfirmed
) -> PasskeyOptions:
    """What ``navigator.credentials.create()`` is asked for a new passkey of yours, within five minutes."""
    account = caller.account
    if account.has_password and not await repository.has_passkey(session, account.id):
        attempt = await sign_in.count_in_session(request.app.state.throttle, own_session(caller).token_hash)
        if not await passwords.matches(account.password_hash, body.password or ""):
            raise invalid("password", "This is not your password.")
        await attempt.succeeded()
    return PasskeyOptions(options=await passkeys.ask_to_register(session, request.app.state.settings, account))


@router.post("", status_code=status.HTTP_201_CREATED, responses=responses(Conflict))
async def add_passkey(
    body: PasskeyCreate, request: Request, session: SessionDep, caller: BeforePasskeyConfirmed
) -> PasskeyOut:
    """Add a passkey. From now on, signing in with your password needs one of your passkeys, too."""
    try:
        key = await passkeys.register(session, request.app.state.settings, caller.account, body)
    except PasskeyRefused as refused:
        raise Forbidden(str(refused), code=refused.code) from refused
    own_session(caller).confirmed_at = utcnow()
    await record(session, caller.actor, Act.passkey_added, Object("passkey", key.id, key.name))
    return PasskeyOut.model_validate(key)


@router.delete("/{passkey_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def remove_passkey(passkey_id: UUID, session: SessionDep, caller: BeforePasskeyConfirmed) -> None:
    """Remove one of your passkeys. Without any, your password is enough to sign in."""
    key = await passkeys.remove(session, caller.account.id, passkey_id)
    await record(session, caller.actor, Act.passkey_removed, Object("passkey", key.id, key.name))


@router.post("/confirmation", responses=responses(Conflict))
async def begin_confirmation(request: Request, session: SessionDep, caller: InPerson) -> PasskeyOptions:
    """What ``navigator.credentials.get()`` is asked, to confirm that it is you; within five minutes."""
    settings: Settings = request.app.state.settings
    options = await passkeys.ask(session, settings, caller.account.id, Purpose.confirmation)
    if options is None:
        raise Conflict("You have no passkey.", code="no-passkey")
    return PasskeyOptions(options=options)


@router.put("/confirmation", status_code=status.HTTP_204_NO_CONTENT, responses=responses(TooManyRequests))
async def confirm(body: PasskeyConfirmation, request: Request, session: SessionDep, caller: InPerson) -> None:
    """Confirm by a passkey that it is you: for ten minutes, this session may do what needs that."""
    state, login, account = request.app.state, own_session(caller), caller.account
    attempt = await sign_in.count_in_session(state.throttle, login.token_hash, "Too many wrong passkeys.")
    email = account.email
    try:
        await passkeys.prove(session, state.settings, account.id, Purpose.confirmation, body.passkey)
    except PasskeyRefused as refused:
        await session.rollback()
        await service.record_failed_sign_in(state.database, email, refused.code)
        raise Forbidden(str(refused), code=refused.code) from refused
    login.confirmed_at = utcnow()
    await attempt.succeeded()
