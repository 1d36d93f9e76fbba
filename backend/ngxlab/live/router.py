"""/runs/{id}/live: server-sent events that a browser can resume after a lost connection.

A thousand people who watch a run come at the same time, and are looked at again every few seconds. One statement says
of all who ask whether they may read, so that what agents send does not wait behind them for a connection.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, NamedTuple
from uuid import UUID

import structlog
from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import StreamingResponse
from sqlalchemy.exc import SQLAlchemyError

from ngxlab.accounts import repository, secrets
from ngxlab.accounts.access import view_in_short_session
from ngxlab.accounts.client import SESSION_COOKIE
from ngxlab.accounts.models import Role
from ngxlab.core.access import GuardedRoute, bearer_token, decision
from ngxlab.core.clock import utcnow
from ngxlab.core.coalescing import Coalesced
from ngxlab.core.config import Demand
from ngxlab.core.database import Database
from ngxlab.core.payload import MOST_POSITION
from ngxlab.live.hub import Hub, Viewer
from ngxlab.runs.repository import hidden_runs

log = structlog.get_logger()


class Reading(NamedTuple):
    """A run, and who reads it: the hash of a personal API token, or of a session."""

    is_token: bool
    hashed: str
    run_id: UUID


class LongReaders(Coalesced[Reading, bool]):
    """Whether each of these people may read."""

    def __init__(self, database: Database, whom: Demand) -> None:
        super().__init__(self._may_read)
        self._database, self._whom = database, whom

    async def _may_read(self, asked: Sequence[Reading]) -> list[bool]:
        tokens = [one.hashed for one in asked if one.is_token]
        sessions = [one.hashed for one in asked if not one.is_token]
        valid = await repository.valid_credentials(self._database, sessions, tokens, utcnow(), self._whom)
        readers = {
            (valid[one.hashed][0], one.run_id)
            for one in asked
            if one.hashed in valid and valid[one.hashed][1] != Role.administrator
        }
        hidden = await hidden_runs(self._database, readers) if readers else set()
        return [one.hashed in valid and (valid[one.hashed][0], one.run_id) not in hidden for one in asked]


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
    run_id: UUID = request.path_params["run_id"]
    return await readers.ask(Reading(bearer is not None, secrets.token_hash(presented), run_id))


router = APIRouter(route_class=GuardedRoute, tags=["live"])

_KEEP_ALIVE_S = 10.0
"""The interval at which something is sent when nothing happens, and the viewer's right to read is checked."""
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


async def stream(viewer: Viewer, may_stay: Callable[[], Awaitable[bool]]) -> AsyncIterator[bytes]:
    """What the viewer is given, as it comes. Ends with the event ``over`` when the run is final, with ``deleted`` when
    it is gone, and without one soon after the viewer has lost the right to read, or cannot keep up: the browser then
    resumes."""
    asked_s = time.monotonic()
    while True:
        if time.monotonic() - asked_s >= _KEEP_ALIVE_S:
            if not await may_stay():
                return
            asked_s = time.monotonic()
        viewer.wake.clear()
        while chunk := viewer.take():
            yield chunk
        if viewer.overflowed or viewer.is_over:
            return
        try:
            await asyncio.wait_for(viewer.wake.wait(), _KEEP_ALIVE_S)
        except TimeoutError:
            yield b": still here\n\n"


async def joined(
    run_id: UUID, request: Request, last_event_id: Annotated[int | None, Header(ge=0, le=MOST_POSITION)] = None
) -> AsyncIterator[Viewer]:
    """Dependency: a viewer of the run until the answer has ended. What cannot be shown is refused, while that can still
    be said."""
    hub: Hub = request.app.state.hub
    async with hub.watch(run_id, last_event_id) as viewer:
        yield viewer


@router.get("/runs/{run_id:uuid}/live", dependencies=[Depends(view_stream)], response_class=StreamingResponse)
async def watch_run(request: Request, viewer: Annotated[Viewer, Depends(joined)]) -> StreamingResponse:
    """Events: ``snapshot`` and ``run`` (as GET /runs/{id}), ``points``, ``note``, ``action``, ``search``, ``curve``,
    ``over``, ``deleted``.

    Points that come as they are measured have ``read_at_us``: when the newest reading was taken, by the server's clock.
    An ``action`` is an ActionMark with ``trial_id``, ``arm`` and ``block``; a later one of the same host, perturbation
    and number replaces it. A ``search`` is one rate more that a search for the capacity has tried, or its end; a
    ``curve`` is one rate more of a curve.
    """
    events = stream(viewer, lambda: may_still_view(request))
    return StreamingResponse(events, media_type="text/event-stream", headers=_HEADERS)
