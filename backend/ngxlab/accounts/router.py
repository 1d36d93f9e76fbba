"""/auth: signing in and out, and what belongs to the person who is signed in."""

from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response, status
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository, service, sessions, sign_in, tokens
from ngxlab.accounts.access import (
    InPerson,
    InPersonConfirmed,
    Newcomer,
    NewcomerInPerson,
    Viewer,
    own_session,
)
from ngxlab.accounts.client import SESSION_COOKIE, client_of, set_device_cookie, set_session_cookie
from ngxlab.accounts.schemas import (
    LanguageChoice,
    LoginRequest,
    Me,
    PasswordChange,
    SessionOut,
    TokenCreate,
    TokenCreated,
    TokenOut,
)
from ngxlab.accounts.sessions import Opened
from ngxlab.accounts.sign_in import PasskeyRequired, PasskeyWrong
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.access import PUBLIC_BODY_BYTES, GuardedRoute, public
from ngxlab.core.config import Settings
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Forbidden, NotSignedIn, TooManyRequests, responses
from ngxlab.core.paging import Page, Paging

router = APIRouter(route_class=GuardedRoute, prefix="/auth", tags=["accounts"])


@router.post(
    "/login",
    dependencies=[Depends(public)],
    responses=responses(NotSignedIn, Forbidden, TooManyRequests),
    max_body_size=PUBLIC_BODY_BYTES,
)
async def login(body: LoginRequest, request: Request, response: Response) -> Me:
    """Sign in; sets an HttpOnly session cookie.

    An account that has passkeys needs one, too: the refusal with the code ``passkey-required`` has in ``passkey`` what
    ``navigator.credentials.get()`` is asked. The same request with the answer signs in.
    """
    state, settings = request.app.state, _settings(request)
    if not settings.may_use_password(body.email):
        raise Forbidden("Sign in with {provider} instead.", provider=settings.oidc_label, code="password-sign-in-off")
    client = client_of(request)
    try:
        signed_in = await sign_in.sign_in(state.database, state.throttle, body, client, settings)
    except PasskeyRequired:
        raise
    except NotSignedIn as refused:
        reason = refused.code if isinstance(refused, PasskeyWrong) else "password"
        await service.record_failed_sign_in(state.database, body.email, reason)
        raise
    set_device_cookie(response, signed_in.device_cookie, secure=settings.secure_cookies)
    async with state.database.transaction() as session:
        return await _let_in(response, session, signed_in.opened, settings)


@router.post("/logout", status_code=status.HTTP_204_NO_CONTENT)
async def logout(response: Response, session: SessionDep, caller: NewcomerInPerson) -> None:
    """End this browser's session."""
    await repository.delete_session_of(session, caller.account.id, own_session(caller).id)
    response.delete_cookie(SESSION_COOKIE, path="/")
    await record(session, caller.actor, Act.signed_out)


@router.get("/me")
async def me(request: Request, session: SessionDep, caller: Newcomer) -> Me:
    """Who is signed in, and the CSRF token for unsafe methods (empty for an API token, which needs none)."""
    lacking = await repository.must_add_passkey(session, caller.account.id, _settings(request).require_passkeys)
    csrf_token = caller.login.csrf_token if caller.login else ""
    return Me.of(caller.account, csrf_token, caller.token, must_add_passkey=lacking)


@router.post("/password", responses=responses(Conflict, TooManyRequests))
async def change_password(
    body: PasswordChange, request: Request, response: Response, session: SessionDep, caller: NewcomerInPerson
) -> Me:
    """Change your own password. This ends your sessions and API tokens; this browser goes on with a new session."""
    settings = _settings(request)
    opened = await sign_in.change_password(
        session,
        request.app.state.throttle,
        own_session(caller),
        body,
        client=client_of(request),
        hours=settings.session_hours,
    )
    await record(session, caller.actor, Act.password_changed, service.account_object(caller.account))
    return await _let_in(response, session, opened, settings)


async def _let_in(response: Response, session: AsyncSession, opened: Opened, settings: Settings) -> Me:
    set_session_cookie(response, opened.cookie, settings)
    lacking = await repository.must_add_passkey(session, opened.login.account_id, settings.require_passkeys)
    return Me.of(opened.login.account, opened.login.csrf_token, must_add_passkey=lacking)


def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


@router.get("/sessions")
async def list_sessions(session: SessionDep, caller: InPerson, page: Paging) -> Page[SessionOut]:
    """Your own sessions: which browsers are signed in."""
    return page.of(await sessions.list_of(session, caller.account.id, current=_current(caller)))


@router.delete("/sessions", status_code=status.HTTP_204_NO_CONTENT)
async def end_other_sessions(session: SessionDep, caller: InPerson) -> None:
    """End all your own sessions but this one."""
    await sessions.end_all(session, caller.account.id, keep=_current(caller))
    await record(session, caller.actor, Act.sessions_ended, service.account_object(caller.account))


@router.delete("/sessions/{session_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def end_session(session_id: UUID, session: SessionDep, caller: InPerson) -> None:
    """End one of your own sessions."""
    await sessions.end(session, caller.account.id, session_id)
    await record(session, caller.actor, Act.session_ended, service.account_object(caller.account))


@router.put("/language", status_code=status.HTTP_204_NO_CONTENT)
async def choose_language(body: LanguageChoice, caller: InPerson) -> None:
    """The language of the pages, wherever you sign in and choose no other."""
    caller.account.language = body.language


@router.get("/tokens")
async def list_tokens(session: SessionDep, caller: Viewer, page: Paging) -> Page[TokenOut]:
    """Your own personal API tokens."""
    return page.of(await tokens.list_of(session, caller.account.id))


@router.post("/tokens", status_code=status.HTTP_201_CREATED)
async def create_token(body: TokenCreate, session: SessionDep, caller: InPersonConfirmed) -> TokenCreated:
    """Create a personal API token; only this answer contains its secret."""
    made = await tokens.create(session, caller.account, body)
    detail = {"scope": body.scope, "expires_in_days": body.expires_in_days}
    await record(session, caller.actor, Act.token_created, Object("token", made.id, made.name), **detail)
    return made


@router.delete("/tokens", status_code=status.HTTP_204_NO_CONTENT)
async def revoke_tokens(session: SessionDep, caller: InPerson) -> None:
    """Revoke all your own tokens immediately."""
    await tokens.revoke_all(session, caller.account.id)
    await record(session, caller.actor, Act.tokens_revoked, service.account_object(caller.account))


@router.delete("/tokens/{token_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def revoke_token(token_id: UUID, session: SessionDep, caller: InPerson) -> None:
    """Revoke one of your own tokens immediately."""
    token = await tokens.revoke(session, caller.account.id, token_id)
    await record(session, caller.actor, Act.token_revoked, Object("token", token.id, token.name))


def _current(caller: InPerson) -> UUID | None:
    return caller.login.id if caller.login else None
