"""/runs/{id}/live: server-sent events that a browser can resume after a lost connection."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Iterator
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import StreamingResponse

from ngxlab.accounts.access import may_still_view, view_briefly
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import Database
from ngxlab.core.errors import Conflict, NotFound, responses
from ngxlab.core.payload import MOST_POSITION
from ngxlab.live.feed import LiveEvent, Viewer
from ngxlab.live.hub import Hub
from ngxlab.runs import repository as runs
from ngxlab.runs.service import present

router = APIRouter(route_class=GuardedRoute, tags=["live"])

_KEEP_ALIVE_S = 10.0
"""How often something is sent when nothing happens, and how often the viewer's right to read is checked."""
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def _wire(event: LiveEvent) -> str:
    # Only telemetry has a position to resume from: the run's state may be ahead of points that are still to come.
    position = f"id: {event.seq}\n" if event.event in {"points", "note", "action"} else ""
    return f"{position}event: {event.event}\ndata: {event.data}\n\n"


async def stream(
    hub: Hub, run_id: UUID, last_seq: int | None, may_stay: Callable[[], Awaitable[bool]]
) -> AsyncIterator[str]:
    """A snapshot, then the events that were missed, then new ones. Ends with the event ``over`` when the run is final,
    and without one soon after the viewer has lost the right to read.

    Without ``last_seq`` the current trial is replayed from its start; older ones are read as stored series.
    """
    async with hub.watch(run_id) as (feed, viewer):
        was_over = await _is_over(feed.feeds.database, run_id)
        snapshot = await feed.run_event("snapshot")
        yield _wire(snapshot)
        current = await _current_trials(feed.feeds.database, run_id) if last_seq is None else None
        replayed = await feed.feeds.replay(run_id, last_seq or 0, current)
        seen = {event.seq for event in replayed}
        for event in replayed:
            yield _wire(event)
        if await _is_over(feed.feeds.database, run_id):
            if not was_over:  # it ended after the snapshot
                yield _wire(await feed.run_event("run"))
            yield _wire(LiveEvent(snapshot.seq, "over", "{}"))
            return
        asked_s = time.monotonic()
        while True:
            if time.monotonic() - asked_s >= _KEEP_ALIVE_S:
                if not await may_stay():
                    return
                asked_s = time.monotonic()
            for event in _new(viewer, seen):
                yield _wire(event)
            if viewer.overflowed:
                return  # the browser reconnects and resumes after the last id that it has received
            viewer.wake.clear()
            try:
                await asyncio.wait_for(viewer.wake.wait(), _KEEP_ALIVE_S)
            except TimeoutError:
                yield ": still here\n\n"


def _new(viewer: Viewer, seen: Container[int]) -> Iterator[LiveEvent]:
    while viewer.queue:
        event = viewer.queue.popleft()
        if event.event == "run" or event.seq not in seen:
            yield event


async def _current_trials(database: Database, run_id: UUID) -> set[UUID]:
    async with database.transaction() as session:
        return set(await runs.ids_of_unfinished_trials(session, run_id))


async def _is_over(database: Database, run_id: UUID) -> bool:
    async with database.transaction() as session:
        run = await runs.run(session, run_id)
        return run is None or run.finished_at is not None


@router.get(
    "/runs/{run_id:uuid}/live",
    dependencies=[Depends(view_briefly)],
    responses=responses(NotFound, Conflict),
    response_class=StreamingResponse,
)
async def watch_run(
    run_id: UUID, request: Request, last_event_id: Annotated[int | None, Header(ge=0, le=MOST_POSITION)] = None
) -> StreamingResponse:
    """Events: ``snapshot`` and ``run`` (as GET /runs/{id}), ``points``, ``note``, ``action``, ``over``.

    Points that come as they are measured have ``read_at_us``: when the newest reading was taken, by the server's clock.
    An ``action`` is an ActionMark with ``trial_id``, ``arm`` and ``block``; a later one of the same host, perturbation
    and number replaces it.
    """
    database: Database = request.app.state.database
    async with database.transaction() as session:
        run = await runs.run(session, run_id)
        if run is None:
            raise NotFound("There is no such run.")
        await present(session, run, None)  # what cannot be shown is refused, while that can still be said
    events = stream(request.app.state.hub, run_id, last_event_id, lambda: may_still_view(request))
    return StreamingResponse(events, media_type="text/event-stream", headers=_HEADERS)
