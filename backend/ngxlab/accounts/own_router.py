"""/auth/sessions and /auth/tokens: one's own ways in; and one's language."""

from collections.abc import Sequence
from uuid import UUID

from fastapi import APIRouter, status

from ngxlab.accounts import audited, sessions, tokens
from ngxlab.accounts.access import InPerson, Viewer
from ngxlab.accounts.models import ApiToken
from ngxlab.accounts.schemas import LanguageChoice, SessionOut, TokenCreate, TokenCreated, TokenOut
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Invalid, NotFound, responses

router = APIRouter(route_class=GuardedRoute, prefix="/auth", tags=["accounts"])


@router.get("/sessions")
async def list_sessions(session: SessionDep, caller: InPerson) -> list[SessionOut]:
    """Your own sessions: which browsers are signed in."""
    return await sessions.list_of(session, caller.account.id, current=_current(caller))


@router.delete("/sessions", status_code=status.HTTP_204_NO_CONTENT)
async def end_other_sessions(session: SessionDep, caller: InPerson) -> None:
    """End all your own sessions but this one."""
    await sessions.end_all(session, caller.account.id, keep=_current(caller))
    await record(session, caller.actor, Act.sessions_ended, audited.account_object(caller.account))


@router.delete("/sessions/{session_id:uuid}", status_code=status.HTTP_204_NO_CONTENT, responses=responses(NotFound))
async def end_session(session_id: UUID, session: SessionDep, caller: InPerson) -> None:
    """End one of your own sessions."""
    await sessions.end(session, caller.account.id, session_id)
    await record(session, caller.actor, Act.session_ended, audited.account_object(caller.account))


@router.put("/language", status_code=status.HTTP_204_NO_CONTENT)
async def choose_language(body: LanguageChoice, caller: InPerson) -> None:
    """The language of the pages, wherever you sign in and choose no other."""
    caller.account.language = body.language


@router.get("/tokens", response_model=list[TokenOut])
async def list_tokens(session: SessionDep, caller: Viewer) -> Sequence[ApiToken]:
    """Your own personal API tokens."""
    return await tokens.list_of(session, caller.account.id)


@router.post("/tokens", status_code=status.HTTP_201_CREATED, responses=responses(Invalid))
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
    await record(session, caller.actor, Act.tokens_revoked, audited.account_object(caller.account))


@router.delete("/tokens/{token_id:uuid}", status_code=status.HTTP_204_NO_CONTENT, responses=responses(NotFound))
async def revoke_token(token_id: UUID, session: SessionDep, caller: InPerson) -> None:
    """Revoke one of your own tokens immediately."""
    token = await tokens.revoke(session, caller.account.id, token_id)
    await record(session, caller.actor, Act.token_revoked, Object("token", token.id, token.name))


def _current(caller: InPerson) -> UUID | None:
    return caller.login.id if caller.login else None
