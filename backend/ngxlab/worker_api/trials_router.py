"""/agent/trials: how agents take trials and report them."""

import asyncio
from typing import Annotated
from uuid import UUID

import numpy as np
from fastapi import APIRouter, Depends, Query, Request, Response, status
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from ngxlab_contracts.base import opened, read
from ngxlab_contracts.protocol import wire_form
from ngxlab_contracts.telemetry import Batch
from ngxlab_contracts.trials import BatchAck, ClaimRequest, TrialControl, TrialRefusal, TrialSpec
from pydantic import ValidationError

from ngxlab.core.access import GuardedRoute
from ngxlab.core.bus import wait_for_message
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.errors import Invalid
from ngxlab.core.payload import MOST_POSITION
from ngxlab.core.threads import beside
from ngxlab.runs import repository
from ngxlab.worker_api import control
from ngxlab.worker_api import control as controls
from ngxlab.worker_api.access import HostCaller, KnownCredential, WaitingHostCaller
from ngxlab.worker_api.batches import Batches, ReceivedBatch

router = APIRouter(route_class=GuardedRoute, prefix="/agent/trials", tags=["agent"])


@router.post("/{trial_id:uuid}/claim", response_model=TrialSpec)
async def claim_trial(
    trial_id: UUID, body: Annotated[ClaimRequest, opened(ClaimRequest)], session: SessionDep, host: HostCaller
) -> JSONResponse:
    """Take a trial that was dispatched to this host, and learn what to do."""
    return JSONResponse(wire_form(await control.claim(session, host, trial_id, body)))


@router.post("/{trial_id:uuid}/refuse", status_code=status.HTTP_204_NO_CONTENT)
async def refuse_trial(
    trial_id: UUID, body: Annotated[TrialRefusal, opened(TrialRefusal)], session: SessionDep, host: HostCaller
) -> None:
    """End a claimed trial that this host's agent does not understand; repeating it is harmless."""
    await control.refuse(session, host, trial_id, body)


_MAX_BATCH_BYTES = 16 << 20
_MAX_BATCH_PARTS = 200_000
"""Lists, objects and their fields, which cost far more time and memory than text. 2,000 frames have 12,000."""
_MAX_BATCH_VALUES = 1_000_000


async def batch_body(request: Request) -> ReceivedBatch:
    """The body as a batch. Parsed and checked in one pass over the text, which is twice as fast for large ones."""
    body = await request.body()
    octets = np.frombuffer(body, np.uint8)  # in which numpy counts ten times as fast
    if sum(np.count_nonzero(octets == mark) for mark in b"{[:") > _MAX_BATCH_PARTS:
        raise Invalid(f"The batch has more than {_MAX_BATCH_PARTS:,} parts.", code="too-many-parts")
    if np.count_nonzero(octets == ord(",")) > _MAX_BATCH_VALUES:
        raise Invalid(f"The batch has more than {_MAX_BATCH_VALUES:,} values.", code="too-many-parts")
    # PostgreSQL's text has no NUL; a log that contains one keeps its other characters.
    text = body.replace(b"\\u0000", b"\\ufffd") if b"\\" in body else body
    try:
        return ReceivedBatch(await beside(len(text), read, Batch, text), text)
    except ValidationError as error:
        raise RequestValidationError(
            error.errors(include_url=False, include_context=False, include_input=False)
        ) from None


_BATCH_SCHEMA = {"requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}}


@router.post(
    "/{trial_id:uuid}/batches", response_model=BatchAck, openapi_extra=_BATCH_SCHEMA, max_body_size=_MAX_BATCH_BYTES
)
async def post_batch(
    trial_id: UUID,
    body: Annotated[ReceivedBatch, Depends(batch_body)],
    request: Request,
    hashed: KnownCredential,
) -> Response:
    """Store the next batch of telemetry; repeating one is harmless."""
    batches: Batches = request.app.state.batches
    ack = await batches.accept(hashed, trial_id, body)
    request.app.state.known_credentials.note(hashed)
    return Response(ack.model_dump_json(), media_type="application/json")


@router.get("/{trial_id:uuid}/control")
async def get_control(
    trial_id: UUID,
    request: Request,
    host: WaitingHostCaller,
    wait_s: Annotated[float, Query(ge=0, le=30, allow_inf_nan=False)] = 0,
    beyond: Annotated[int, Query(ge=0, le=MOST_POSITION)] = 0,
) -> TrialControl:
    """What this host should do now; waits up to ``wait_s`` for a revision above ``beyond``, or a command.

    Batches are no news: what the trial's other hosts wait for is announced."""
    database: Database = request.app.state.database
    deadline = asyncio.get_running_loop().time() + wait_s
    seen = await repository.news_of_trial(database, trial_id, host.id)
    async with database.transaction() as session:
        run_id, control = await controls.control(session, host, trial_id)
    with database.bus.listen(run_id) as messages:
        while control.command == "continue" and control.revision <= beyond:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                break
            if (news := await repository.news_of_trial(database, trial_id, host.id)) == seen:
                await wait_for_message(messages, min(left, database.bus.patience_s), telemetry=False)
                continue
            seen = news
            async with database.transaction() as session:
                _, control = await controls.control(session, host, trial_id)
    return control
