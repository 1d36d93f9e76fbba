"""Which people may call an endpoint: identified by session cookie or API token, and limited by role."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import Depends, Request
from ngxlab_contracts.sentences import fixed
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository, secrets
from ngxlab.accounts.client import SESSION_COOKIE
from ngxlab.accounts.models import Account, ApiToken, LoginSession, Role, TokenScope
from ngxlab.audit.record import Actor
from ngxlab.core.access import bearer_token, decision
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.errors import Forbidden, NotSignedIn

CSRF_HEADER = "X-CSRF-Token"
_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


@dataclass(frozen=True)
class Caller:
    """A signed-in person: by the session of a browser, or by a personal API token."""

    account: Account
    login: LoginSession | None = None
    token: ApiToken | None = None

    @property
    def role(self) -> Role:
        """What this call may do: a token's scope may be less than its owner's role."""
        own = Role(self.account.role)
        return own if self.token is None else Role.lesser(own, TokenScope(self.token.scope).role)

    @property
    def actor(self) -> Actor:
        """The caller, as the audit log names them."""
        return Actor("person", self.account.email, self.account.id, self.token.name if self.token else None)


async def _caller(request: Request, session: AsyncSession) -> Caller:
    now = utcnow()
    if bearer := bearer_token(request):
        token = await repository.api_token_by_hash(session, secrets.token_hash(bearer), now)
        if token is None or token.account.disabled_at is not None:
            raise NotSignedIn("This API token is unknown, revoked or expired.", code="bad-token")
        await repository.note_token_use(session, token.id, now)
        return Caller(token.account, token=token)
    cookie = request.cookies.get(SESSION_COOKIE)
    login = await repository.session_by_hash(session, secrets.token_hash(cookie), now) if cookie else None
    if login is None or login.account.disabled_at is not None:
        raise NotSignedIn("Sign in first.")
    if request.method not in _SAFE_METHODS and not secrets.same(request.headers.get(CSRF_HEADER, ""), login.csrf_token):
        raise Forbidden(
            "The header {header} is missing or stale; load the page again.", header=CSRF_HEADER, code="csrf"
        )
    await repository.note_session_use(session, login.id, now)
    return Caller(login.account, login=login)


def _require_own_password(caller: Caller) -> None:
    if caller.account.must_change_password:
        raise Forbidden("Replace your one-time password first.", code="password-change-required")


async def _require_passkey(request: Request, session: AsyncSession, caller: Caller) -> None:
    """An API token is no password, and goes on."""
    settings: Settings = request.app.state.settings
    if caller.login is not None and await repository.must_add_passkey(
        session, caller.account.id, settings.require_passkeys
    ):
        raise Forbidden("Add a passkey first.", code="passkey-needed")


CONFIRMED_FOR = timedelta(minutes=10)


async def _require_confirmation(session: AsyncSession, login: LoginSession) -> None:
    """What a taken session must not do by itself needs the person's passkey, if they have one."""
    if login.confirmed_at is not None and utcnow() - login.confirmed_at < CONFIRMED_FOR:
        return
    if await repository.has_passkey(session, login.account_id):
        raise Forbidden("Confirm with your passkey that it is you.", code="passkey-confirmation")


_Readable = TypeVar("_Readable", bound=Callable[[AsyncSession, Caller, UUID], Awaitable[None]])
READABLE: dict[str, Callable[[AsyncSession, Caller, UUID], Awaitable[None]]] = {}
"""By the name of a part of paths: raises NotFound where the caller may not read what it leads to."""


def readable(parameter: str) -> Callable[[_Readable], _Readable]:
    """Declare who decides whether people may read what such a part of a path leads to, if that is not everybody."""

    def declare(require: _Readable) -> _Readable:
        READABLE[parameter] = require
        return require

    return declare


async def _require_readable(request: Request, session: AsyncSession, caller: Caller) -> None:
    if caller.account.role == Role.administrator:
        return
    for name in request.path_params.keys() & READABLE.keys():
        await READABLE[name](session, caller, request.path_params[name])


class RequireRole:
    """Dependency: a signed-in person with at least this role.

    ``in_person``: not by an API token. ``confirmed``: in a browser, only after their passkey has confirmed it, if they
    have one; a token was made so, and is not asked. ``before_passkey``: also before they have added the passkey that it
    takes here. ``newcomer``: that, and also before they have replaced their one-time password.
    """

    def __init__(
        self,
        role: Role,
        *,
        in_person: bool = False,
        confirmed: bool = False,
        before_passkey: bool = False,
        newcomer: bool = False,
    ) -> None:
        self.role, self.caller = role, role.value
        self.in_person, self.confirmed = in_person, confirmed
        self.before_passkey, self.newcomer = before_passkey or newcomer, newcomer

    async def __call__(self, request: Request, session: SessionDep) -> Caller:
        caller = await _caller(request, session)
        if not self.newcomer:
            _require_own_password(caller)
        if not self.before_passkey:
            await _require_passkey(request, session, caller)
        if not Role(caller.account.role).includes(self.role):
            raise Forbidden(
                "This needs the role {role}; yours is {own}.", role=self.role, own=caller.account.role, code="role"
            )
        if caller.token is not None and self.in_person:
            raise Forbidden("No API token can do this. Sign in with a browser.", code="in-person")
        if caller.token is not None and not caller.role.includes(self.role):
            needed = next(scope for scope in TokenScope if scope.role == self.role)
            raise Forbidden(
                "This needs a token with the scope {needed}; this one's is {own}.",
                needed=needed,
                own=caller.token.scope,
                code="scope",
            )
        if self.confirmed and caller.login is not None:
            await _require_confirmation(session, caller.login)
        await _require_readable(request, session, caller)
        return caller


@decision("viewer")
async def view_in_short_session(request: Request) -> Caller:
    """Dependency: a viewer, for long-lived requests; the database session is closed before the response begins."""
    database: Database = request.app.state.database
    async with database.transaction() as session:
        caller = await _caller(request, session)
        _require_own_password(caller)
        await _require_passkey(request, session, caller)
        await _require_readable(request, session, caller)
        return caller


@decision("experimenter")
async def experiment_in_short_session(request: Request) -> Caller:
    """Dependency: an experimenter, for large bodies; the session is closed before the body is read."""
    database: Database = request.app.state.database
    async with database.transaction() as session:
        return await RequireRole(Role.experimenter)(request, session)


Viewer = Annotated[Caller, Depends(RequireRole(Role.viewer))]
Experimenter = Annotated[Caller, Depends(RequireRole(Role.experimenter))]
Administrator = Annotated[Caller, Depends(RequireRole(Role.administrator))]

# What decides over accounts themselves: a token that could do this would make others that outlive it.
InPerson = Annotated[Caller, Depends(RequireRole(Role.viewer, in_person=True))]
ExperimenterInPerson = Annotated[Caller, Depends(RequireRole(Role.experimenter, in_person=True))]
AdministratorInPerson = Annotated[Caller, Depends(RequireRole(Role.administrator, in_person=True))]

# What makes ways in, or shows what is inside: a session that somebody took must not be enough.
ExperimenterConfirmed = Annotated[Caller, Depends(RequireRole(Role.experimenter, confirmed=True))]
AdministratorConfirmed = Annotated[Caller, Depends(RequireRole(Role.administrator, confirmed=True))]
InPersonConfirmed = Annotated[Caller, Depends(RequireRole(Role.viewer, in_person=True, confirmed=True))]
AdministratorInPersonConfirmed = Annotated[
    Caller, Depends(RequireRole(Role.administrator, in_person=True, confirmed=True))
]

# What leads from a one-time password to one's own, and from there to the first passkey.
Newcomer = Annotated[Caller, Depends(RequireRole(Role.viewer, newcomer=True))]
NewcomerInPerson = Annotated[Caller, Depends(RequireRole(Role.viewer, in_person=True, newcomer=True))]
BeforePasskey = Annotated[Caller, Depends(RequireRole(Role.viewer, in_person=True, before_passkey=True))]
BeforePasskeyConfirmed = Annotated[
    Caller, Depends(RequireRole(Role.viewer, in_person=True, before_passkey=True, confirmed=True))
]


def own_session(caller: Caller) -> LoginSession:
    """The browser's session of somebody who calls in person."""
    if caller.login is None:
        raise TypeError("the decision on who may call lets nobody in without a session")
    return caller.login


def require_owner(caller: Caller, owner_id: UUID | None, what: str) -> None:
    """Experimenters may change what they own; administrators may change everything."""
    if caller.role != Role.administrator and caller.account.id != owner_id:
        raise Forbidden("This {what} belongs to somebody else.", what=fixed(what), code="not-owner")
