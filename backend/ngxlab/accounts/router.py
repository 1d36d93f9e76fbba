"""/auth and /accounts."""

from collections.abc import Sequence
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response, status

from ngxlab.accounts import audited, repository, secrets, service, throttle
from ngxlab.accounts.access import SESSION_COOKIE, Administrator, Viewer
from ngxlab.accounts.models import Account, ApiToken
from ngxlab.accounts.schemas import (
    AccountCreate,
    AccountCreated,
    AccountOut,
    AccountUpdate,
    LoginRequest,
    Me,
    PasswordChange,
    TokenCreate,
    TokenCreated,
    TokenOut,
)
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.access import PUBLIC_BODY_BYTES, GuardedRoute, public
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Forbidden, Invalid, NotFound, NotSignedIn, TooManyRequests, responses

router = APIRouter(route_class=GuardedRoute, tags=["accounts"])


@router.post(
    "/auth/login",
    dependencies=[Depends(public)],
    responses=responses(NotSignedIn, Forbidden, TooManyRequests),
    max_body_size=PUBLIC_BODY_BYTES,
)
async def login(body: LoginRequest, request: Request, response: Response, session: SessionDep) -> Me:
    """Sign in; sets an HttpOnly session cookie."""
    redis, client = request.app.state.redis, request.client.host if request.client else "?"
    await throttle.refuse_if_throttled(redis, body.email, client)
    settings = request.app.state.settings
    if not settings.may_use_password(body.email):
        raise Forbidden(f"Sign in with {settings.oidc_label} instead.", code="password-sign-in-off")
    try:
        entry, cookie = await service.sign_in(session, body.email, body.password, settings.session_hours)
    except NotSignedIn:
        await throttle.note_failure(redis, body.email, client)
        await audited.record_failed_sign_in(request.app.state.database, body.email, "password")
        raise
    await throttle.forget_failures(redis, body.email, client)
    await record(session, audited.actor(entry.account), Act.signed_in, method="password")
    response.set_cookie(
        SESSION_COOKIE,
        cookie,
        max_age=settings.session_hours * 3600,
        httponly=True,
        samesite="lax",
        secure=settings.cookie_secure,
        path="/",
    )
    return Me(account=AccountOut.model_validate(entry.account), csrf_token=entry.csrf_token)


@router.post("/auth/logout", status_code=status.HTTP_204_NO_CONTENT)
async def logout(request: Request, response: Response, session: SessionDep, caller: Viewer) -> None:
    """End this browser's session."""
    if cookie := request.cookies.get(SESSION_COOKIE):
        await repository.delete_session(session, secrets.token_hash(cookie))
    response.delete_cookie(SESSION_COOKIE, path="/")
    await record(session, caller.actor, Act.signed_out)


@router.get("/auth/me", responses=responses(NotSignedIn))
async def me(caller: Viewer) -> Me:
    """Who is signed in, and the CSRF token for unsafe methods (empty for an API token, which needs none)."""
    csrf = caller.login.csrf_token if caller.login else ""
    return Me(account=AccountOut.model_validate(caller.account), csrf_token=csrf)


@router.post("/auth/password", status_code=status.HTTP_204_NO_CONTENT, responses=responses(Invalid))
async def change_password(body: PasswordChange, request: Request, session: SessionDep, caller: Viewer) -> None:
    """Change your own password; this ends your other sessions."""
    cookie = request.cookies.get(SESSION_COOKIE)
    await service.change_password(session, caller.account, body.current_password, body.new_password, cookie)
    await record(session, caller.actor, Act.password_changed, audited.account_object(caller.account))


@router.get("/auth/tokens", response_model=list[TokenOut])
async def list_tokens(session: SessionDep, caller: Viewer) -> Sequence[ApiToken]:
    """Your own personal API tokens."""
    return await service.tokens_of(session, caller.account)


@router.post("/auth/tokens", status_code=status.HTTP_201_CREATED)
async def create_token(body: TokenCreate, session: SessionDep, caller: Viewer) -> TokenCreated:
    """Create a personal API token; only this answer contains its secret."""
    made = await service.create_token(session, caller.account, body)
    on = Object("token", made.id, made.name)
    await record(session, caller.actor, Act.token_created, on, expires_in_days=body.expires_in_days)
    return made


@router.delete("/auth/tokens/{token_id}", status_code=status.HTTP_204_NO_CONTENT, responses=responses(NotFound))
async def revoke_token(token_id: UUID, session: SessionDep, caller: Viewer) -> None:
    """Revoke one of your own tokens immediately."""
    token = await service.revoke_token(session, caller.account, token_id)
    await record(session, caller.actor, Act.token_revoked, Object("token", token.id, token.name))


@router.get("/accounts", response_model=list[AccountOut])
async def list_accounts(session: SessionDep, _: Administrator) -> Sequence[Account]:
    """All accounts."""
    return await repository.accounts(session)


@router.post("/accounts", status_code=status.HTTP_201_CREATED, responses=responses(Conflict))
async def create_account(body: AccountCreate, session: SessionDep, caller: Administrator) -> AccountCreated:
    """Create an account; without a password the server generates one and shows it once."""
    made = await service.create_account(session, body)
    on = Object("account", made.account.id, made.account.email)
    await record(session, caller.actor, Act.account_created, on, role=body.role)
    return made


@router.patch("/accounts/{account_id}", response_model=AccountOut, responses=responses(NotFound, Conflict))
async def update_account(account_id: UUID, body: AccountUpdate, session: SessionDep, caller: Administrator) -> Account:
    """Change an account's role, or disable the account, which ends its sessions."""
    account = await service.update_account(session, account_id, body)
    changes = body.model_dump(exclude_none=True)
    await record(session, caller.actor, Act.account_changed, audited.account_object(account), **changes)
    return account
