"""Who reads an answer that goes on for long, such as a live stream: asked of the database for all of them at once.

A thousand people who watch a run come at the same time, and are looked at again every few seconds. One statement says
of all who ask whether they may read, so that what agents send does not wait behind them for a connection.
"""

import asyncio
from collections.abc import Collection
from typing import NamedTuple

import structlog
from fastapi import Request
from sqlalchemy.exc import SQLAlchemyError

from ngxlab.accounts import repository, secrets
from ngxlab.accounts.access import SESSION_COOKIE, view_briefly
from ngxlab.core.access import bearer_token, decision
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database

log = structlog.get_logger()


class Credential(NamedTuple):
    """The hash of a personal API token, or of a session."""

    is_token: bool
    hashed: str


class LongReaders:
    """One of a process. At most one statement is under way; who asks meanwhile is in the next one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[Credential, asyncio.Future[bool]] = {}
        self._asking: asyncio.Task[None] | None = None

    async def may_read(self, credential: Credential) -> bool:
        """Raises what the database raises."""
        if credential not in self._waiting:
            self._waiting[credential] = asyncio.get_running_loop().create_future()
        answer = self._waiting[credential]
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
        return await asyncio.shield(answer)

    async def _ask(self) -> None:
        while self._waiting:
            asked, self._waiting = self._waiting, {}
            try:
                valid = await self._valid(asked)
            except Exception as error:  # noqa: BLE001  raised where it was asked
                for answer in asked.values():
                    answer.set_exception(error)
            else:
                for credential, answer in asked.items():
                    answer.set_result(credential.hashed in valid)

    async def _valid(self, asked: Collection[Credential]) -> set[str]:
        tokens = [credential.hashed for credential in asked if credential.is_token]
        sessions = [credential.hashed for credential in asked if not credential.is_token]
        return await repository.valid_credentials(self._database, sessions, tokens, utcnow())


@decision("viewer")
async def view_at_length(request: Request) -> None:
    """Dependency: a viewer, for an answer that goes on for long and holds no session of the database."""
    if not await _may_read(request):
        await view_briefly(request)  # which says why not


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
    return await readers.may_read(Credential(bearer is not None, secrets.token_hash(presented)))
