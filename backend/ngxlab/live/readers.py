"""Who reads an answer that goes on for long, such as a live stream: asked of the database for all of them at once.

A thousand people who watch a run come at the same time, and are looked at again every few seconds. One statement says
of all who ask whether they may read, so that what agents send does not wait behind them for a connection.
"""

from collections.abc import Sequence
from typing import NamedTuple

import structlog
from fastapi import Request
from sqlalchemy.exc import SQLAlchemyError

from ngxlab.accounts import repository, secrets
from ngxlab.accounts.access import view_in_short_session
from ngxlab.accounts.client import SESSION_COOKIE
from ngxlab.core.access import bearer_token, decision
from ngxlab.core.clock import utcnow
from ngxlab.core.coalescing import Coalesced
from ngxlab.core.database import Database

log = structlog.get_logger()


class Credential(NamedTuple):
    """The hash of a personal API token, or of a session."""

    is_token: bool
    hashed: str


class LongReaders(Coalesced[Credential, bool]):
    """Whether each of these credentials' people may read."""

    def __init__(self, database: Database) -> None:
        super().__init__(self._may_read)
        self._database = database

    async def _may_read(self, asked: Sequence[Credential]) -> list[bool]:
        tokens = [credential.hashed for credential in asked if credential.is_token]
        sessions = [credential.hashed for credential in asked if not credential.is_token]
        valid = await repository.valid_credentials(self._database, sessions, tokens, utcnow())
        return [credential.hashed in valid for credential in asked]


@decision("viewer")
async def view_stream(request: Request) -> None:
    """Dependency: a viewer, for an answer that goes on for long and holds no session of the database."""
    if not await _may_read(request):
        await view_in_short_session(request)  # which says why not


async def may_still_view(request: Request) -> bool:
    """Whether the caller of a long-lived request may still read it. True while the database cannot be reached."""
    try:
        return await _may_read(request)
    except (OSError, SQLAlchemyError) as error:
        log.warning("cannot check whether a viewer may stay", error=type(error).__name__)
        return True


async def _may_read(request: Request) -> bool:
    bearer = bearer_token(request)
    presented = bearer or request.cookies.get(SESSION_COOKIE)
    if presented is None:
        return False
    readers: LongReaders = request.app.state.long_readers
    return await readers.ask(Credential(bearer is not None, secrets.token_hash(presented)))
