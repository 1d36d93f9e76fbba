"""/runs/{id}/live: server-sent events that a browser can resume after a lost connection."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import StreamingResponse

from ngxlab.core.access import GuardedRoute
from ngxlab.core.payload import MOST_POSITION
from ngxlab.live.hub import Hub, Viewer
from ngxlab.live.readers import may_still_view, view_stream

router = APIRouter(route_class=GuardedRoute, tags=["live"])

_KEEP_ALIVE_S = 10.0
"""The interval at which something is sent when nothing happens, and the viewer's right to read is checked."""
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


async def stream(viewer: Viewer, may_stay: Callable[[], Awaitable[bool]]) -> AsyncIterator[bytes]:
    """What the viewer is given, as it comes. Ends with the event ``over`` when the run is final, and without one soon
    after the viewer has lost the right to read, or cannot keep up: the browser then resumes."""
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
    """Events: ``snapshot`` and ``run`` (as GET /runs/{id}), ``points``, ``note``, ``action``, ``over``.

    Points that come as they are measured have ``read_at_us``: when the newest reading was taken, by the server's clock.
    An ``action`` is an ActionMark with ``trial_id``, ``arm`` and ``block``; a later one of the same host, perturbation
    and number replaces it.
    """
    events = stream(viewer, lambda: may_still_view(request))
    return StreamingResponse(events, media_type="text/event-stream", headers=_HEADERS)
