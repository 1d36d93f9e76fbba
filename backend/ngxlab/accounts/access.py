"""Which people may call an endpoint: identified by session cookie or API token, and limited by role."""

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import structlog
from fastapi import Depends, Request
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository, secrets
from ngxlab.accounts.models import Account, LoginSession, Role
from ngxlab.audit.record import Actor
from ngxlab.core.access import bearer_token, decision
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.errors import Forbidden, NotSignedIn

log = structlog.get_logger()

SESSION_COOKIE = "ngxlab_session"
CSRF_HEADER = "X-CSRF-Token"
_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


@dataclass(frozen=True)
class Caller:
    """A signed-in person. ``login`` is ``None`` for a call with a personal API token, whose name is ``token``."""

    account: Account
    login: LoginSession | None
    token: str | None = None

    @property
    def actor(self) -> Actor:
        """The caller, as the audit log names them."""
        return Actor("person", self.account.email, self.account.id, self.token)


async def _caller(request: Request, session: AsyncSession) -> Caller:
    now = utcnow()
    if bearer := bearer_token(request):
        token = await repository.api_token_by_hash(session, secrets.token_hash(bearer), now)
        if token is None or token.account.disabled_at is not None:
            raise NotSignedIn("This API token is unknown, revoked or expired.", code="bad-token")
        await repository.note_token_use(session, token.id, now)
        return Caller(token.account, None, token.name)
    cookie = request.cookies.get(SESSION_COOKIE)
    login = await repository.session_by_hash(session, secrets.token_hash(cookie), now) if cookie else None
    if login is None or login.account.disabled_at is not None:
        raise NotSignedIn("Sign in first.")
    if request.method not in _SAFE_METHODS and not secrets.same(request.headers.get(CSRF_HEADER, ""), login.csrf_token):
        raise Forbidden(f"The header {CSRF_HEADER} is missing or stale; load the page again.", code="csrf")
    return Caller(login.account, login)


class RequireRole:
    """Dependency: a signed-in person with at least this role."""

    decides_access = True

    def __init__(self, role: Role) -> None:
        self.role = role

    async def __call__(self, request: Request, session: SessionDep) -> Caller:
        caller = await _caller(request, session)
        if not Role(caller.account.role).includes(self.role):
            raise Forbidden(f"This needs the role {self.role}; yours is {caller.account.role}.", code="role")
        return caller


@decision
async def view_briefly(request: Request) -> Caller:
    """Dependency: a viewer, for long-lived requests; the database session is closed before the response begins."""
    database: Database = request.app.state.database
    async with database.transaction() as session:
        return await _caller(request, session)


async def may_still_view(request: Request) -> bool:
    """Whether the caller of a long-lived request may still read it. True while the database cannot be reached."""
    try:
        await view_briefly(request)
    except NotSignedIn:
        return False
    except (OSError, SQLAlchemyError) as error:
        log.warning("cannot check whether a viewer may stay", error=type(error).__name__)
    return True


Viewer = Annotated[Caller, Depends(RequireRole(Role.viewer))]
Experimenter = Annotated[Caller, Depends(RequireRole(Role.experimenter))]
Administrator = Annotated[Caller, Depends(RequireRole(Role.administrator))]


def require_owner(caller: Caller, owner_id: UUID | None, what: str) -> None:
    """Experimenters may change what they own; administrators may change everything."""
    if caller.account.role != Role.administrator and caller.account.id != owner_id:
        raise Forbidden(f"This {what} belongs to somebody else.", code="not-owner")
