"""/agent/trials: how agents take trials and report them."""

import asyncio
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from ngxlab_contracts.telemetry import Batch
from ngxlab_contracts.trials import BatchAck, ClaimRequest, TrialControl, TrialSpec
from pydantic import ValidationError

from ngxlab.core.bus import wait_for_message
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.errors import Conflict, NotFound, responses
from ngxlab.worker_api import batches, claims
from ngxlab.worker_api import control as controls
from ngxlab.worker_api.access import HostCaller, WaitingHostCaller

router = APIRouter(prefix="/agent/trials", tags=["agent"])


@router.post("/{trial_id}/claim", responses=responses(NotFound, Conflict))
async def claim_trial(trial_id: UUID, body: ClaimRequest, session: SessionDep, host: HostCaller) -> TrialSpec:
    """Take a trial that was dispatched to this host, and learn what to do."""
    return await claims.claim(session, host, trial_id, body.agent_instance)


_MOST_ERRORS = 10
"""A batch of 100,000 bad frames has as many errors."""


async def batch_body(request: Request) -> batches.ReceivedBatch:
    """The body as a batch. Parsed and validated in one pass over the text, which is twice as fast for large ones."""
    # PostgreSQL's text type has no NUL; a log that contains one keeps its other characters.
    text = (await request.body()).replace(b"\\u0000", b"\\ufffd")
    try:
        return batches.ReceivedBatch(Batch.model_validate_json(text), text)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        raise RequestValidationError(errors[:_MOST_ERRORS]) from error


_MAX_BATCH_BYTES = 64 << 20
_BATCH_SCHEMA = {"requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}}


@router.post(
    "/{trial_id}/batches",
    responses=responses(NotFound, Conflict),
    openapi_extra=_BATCH_SCHEMA,
    max_body_size=_MAX_BATCH_BYTES,
)
async def post_batch(
    trial_id: UUID, body: Annotated[batches.ReceivedBatch, Depends(batch_body)], session: SessionDep, host: HostCaller
) -> BatchAck:
    """Store the next batch of telemetry; repeating one is harmless."""
    return await batches.accept(session, host, trial_id, body)


@router.get("/{trial_id}/control", responses=responses(NotFound))
async def get_control(
    trial_id: UUID,
    request: Request,
    host: WaitingHostCaller,
    wait_s: Annotated[float, Query(ge=0, le=30)] = 0,
    beyond: int = 0,
) -> TrialControl:
    """What this host should do now; waits up to ``wait_s`` for a revision above ``beyond``, or a command."""
    database: Database = request.app.state.database
    deadline = asyncio.get_running_loop().time() + wait_s
    async with database.transaction() as session:
        run_id, control = await controls.control(session, host, trial_id)
    with database.bus.listen(run_id) as messages:
        while control.command == "continue" and control.revision <= beyond:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                break
            async with database.transaction() as session:
                _, control = await controls.control(session, host, trial_id)
            if control.command == "continue" and control.revision <= beyond:
                await wait_for_message(messages, min(left, 1.0))
    return control
