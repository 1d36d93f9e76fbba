"""/auth/sessions, /auth/tokens and the language: what belongs to the person who is signed in."""

from uuid import UUID

from fastapi import APIRouter, status

from ngxlab.accounts import audit_entries, sessions, tokens
from ngxlab.accounts.access import InPerson, Viewer
from ngxlab.accounts.schemas import LanguageChoice, SessionOut, TokenCreate, TokenCreated, TokenOut
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.paging import Page, Paging

router = APIRouter(route_class=GuardedRoute, prefix="/auth", tags=["accounts"])


@router.get("/sessions")
async def list_sessions(session: SessionDep, caller: InPerson, page: Paging) -> Page[SessionOut]:
    """Your own sessions: which browsers are signed in."""
    return page.of(await sessions.list_of(session, caller.account.id, current=_current(caller)))


@router.delete("/sessions", status_code=status.HTTP_204_NO_CONTENT)
async def end_other_sessions(session: SessionDep, caller: InPerson) -> None:
    """End all your own sessions but this one."""
    await sessions.end_all(session, caller.account.id, keep=_current(caller))
    await record(session, caller.actor, Act.sessions_ended, audit_entries.account_object(caller.account))


@router.delete("/sessions/{session_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def end_session(session_id: UUID, session: SessionDep, caller: InPerson) -> None:
    """End one of your own sessions."""
    await sessions.end(session, caller.account.id, session_id)
    await record(session, caller.actor, Act.session_ended, audit_entries.account_object(caller.account))


@router.put("/language", status_code=status.HTTP_204_NO_CONTENT)
async def choose_language(body: LanguageChoice, caller: InPerson) -> None:
    """The language of the pages, wherever you sign in and choose no other."""
    caller.account.language = body.language


@router.get("/tokens")
async def list_tokens(session: SessionDep, caller: Viewer, page: Paging) -> Page[TokenOut]:
    """Your own personal API tokens."""
    return page.of(await tokens.list_of(session, caller.account.id))


@router.post("/tokens", status_code=status.HTTP_201_CREATED)
async def create_token(body: TokenCreate, session: SessionDep, caller: InPerson) -> TokenCreated:
    """Create a personal API token; only this answer contains its secret."""
    made = await tokens.create(session, caller.account, body)
    detail = {"scope": body.scope, "expires_in_days": body.expires_in_days}
    await record(session, caller.actor, Act.token_created, Object("token", made.id, made.name), **detail)
    return made


@router.delete("/tokens", status_code=status.HTTP_204_NO_CONTENT)
async def revoke_tokens(session: SessionDep, caller: InPerson) -> None:
    """Revoke all your own tokens immediately."""
    await tokens.revoke_all(session, caller.account.id)
    await record(session, caller.actor, Act.tokens_revoked, audit_entries.account_object(caller.account))


@router.delete("/tokens/{token_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def revoke_token(token_id: UUID, session: SessionDep, caller: InPerson) -> None:
    """Revoke one of your own tokens immediately."""
    token = await tokens.revoke(session, caller.account.id, token_id)
    await record(session, caller.actor, Act.token_revoked, Object("token", token.id, token.name))


def _current(caller: InPerson) -> UUID | None:
    return caller.login.id if caller.login else None
