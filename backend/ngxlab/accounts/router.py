"""/auth: signing in and out, who one is, one's password."""

from fastapi import APIRouter, Depends, Request, Response, status

from ngxlab.accounts import audit_entries, devices, repository, sign_in
from ngxlab.accounts.access import SESSION_COOKIE, Newcomer, NewcomerInPerson
from ngxlab.accounts.client import client_of
from ngxlab.accounts.models import LoginSession
from ngxlab.accounts.schemas import LoginRequest, Me, PasswordChange
from ngxlab.accounts.sessions import Opened
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import PUBLIC_BODY_BYTES, GuardedRoute, public
from ngxlab.core.config import Settings
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Forbidden, NotSignedIn, TooManyRequests, responses

router = APIRouter(route_class=GuardedRoute, tags=["accounts"])


@router.post(
    "/auth/login",
    dependencies=[Depends(public)],
    responses=responses(NotSignedIn, Forbidden, TooManyRequests),
    max_body_size=PUBLIC_BODY_BYTES,
)
async def login(body: LoginRequest, request: Request, response: Response) -> Me:
    """Sign in; sets an HttpOnly session cookie."""
    state, settings = request.app.state, _settings(request)
    if not settings.may_use_password(body.email):
        raise Forbidden(f"Sign in with {settings.oidc_label} instead.", code="password-sign-in-off")
    client, hours = client_of(request), settings.session_hours
    try:
        signed_in = await sign_in.sign_in(state.database, state.throttle, body, client, hours)
    except NotSignedIn:
        await audit_entries.record_failed_sign_in(state.database, body.email, "password")
        raise
    devices.set_cookie(response, signed_in.device_cookie, secure=settings.secure_cookies)
    return _let_in(response, signed_in.opened, settings)


@router.post("/auth/logout", status_code=status.HTTP_204_NO_CONTENT)
async def logout(response: Response, session: SessionDep, caller: NewcomerInPerson) -> None:
    """End this browser's session."""
    await repository.delete_session_of(session, caller.account.id, _own(caller.login).id)
    response.delete_cookie(SESSION_COOKIE, path="/")
    await record(session, caller.actor, Act.signed_out)


@router.get("/auth/me")
async def me(caller: Newcomer) -> Me:
    """Who is signed in, and the CSRF token for unsafe methods (empty for an API token, which needs none)."""
    return Me.of(caller.account, caller.login.csrf_token if caller.login else "", caller.token)


@router.post("/auth/password", responses=responses(Conflict, TooManyRequests))
async def change_password(
    body: PasswordChange, request: Request, response: Response, session: SessionDep, caller: NewcomerInPerson
) -> Me:
    """Change your own password. This ends your sessions and API tokens; this browser goes on with a new session."""
    settings = _settings(request)
    opened = await sign_in.change_password(
        session,
        request.app.state.throttle,
        _own(caller.login),
        body,
        client=client_of(request),
        hours=settings.session_hours,
    )
    await record(session, caller.actor, Act.password_changed, audit_entries.account_object(caller.account))
    return _let_in(response, opened, settings)


def _let_in(response: Response, opened: Opened, settings: Settings) -> Me:
    response.set_cookie(
        SESSION_COOKIE,
        opened.cookie,
        max_age=settings.session_hours * 3600,
        httponly=True,
        samesite="lax",
        secure=settings.secure_cookies,
        path="/",
    )
    return Me.of(opened.login.account, opened.login.csrf_token)


def _own(login: LoginSession | None) -> LoginSession:
    if login is None:
        raise TypeError("the decision on who may call lets nobody in without a session")
    return login


def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings
