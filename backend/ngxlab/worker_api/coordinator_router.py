"""/coordinator: how coordinators drive runs."""

import asyncio
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, status
from ngxlab_contracts.coordination import CoordinatorPulse, LeaseGrant, LeaseRequest, NextStep, PulseReply, TrialStatus
from ngxlab_contracts.trials import TrialControl

from ngxlab.core.access import GuardedRoute
from ngxlab.core.bus import wait_for_message
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.errors import existing
from ngxlab.core.jobs.kinds import Attendance
from ngxlab.runs import coordinators, repository
from ngxlab.runs.states import TrialState
from ngxlab.worker_api import next_step
from ngxlab.worker_api.access import require_coordinator

router = APIRouter(
    route_class=GuardedRoute, prefix="/coordinator", tags=["coordinator"], dependencies=[Depends(require_coordinator)]
)

_WAIT_STEP_S = 5.0
_LOOK_AGAIN_S = 0.5


@router.post("/pulse")
async def pulse(body: CoordinatorPulse, request: Request) -> PulseReply:
    """Record that a coordinator is alive, and renew the leases of the runs that it drives."""
    return PulseReply(lost=list(await coordinators.note_pulse(request.app.state.database, body)))


@router.post("/runs/{run_id:uuid}/lease")
async def take_lease(run_id: UUID, body: LeaseRequest, session: SessionDep) -> LeaseGrant:
    """Take the right to drive a run. An older coordinator renews it here, too."""
    return await next_step.take_lease(session, run_id, body.holder)


@router.delete("/runs/{run_id:uuid}/lease/{holder:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def release_lease(run_id: UUID, holder: UUID, session: SessionDep) -> None:
    """Release the right to drive a run."""
    await next_step.release_lease(session, run_id, holder)


@router.post("/runs/{run_id:uuid}/next")
async def get_next_step(run_id: UUID, body: LeaseRequest, request: Request) -> NextStep:
    """What to do now. ``wait``: a host is missing. A running run learns it after some seconds; a queued one at once, so
    that it costs the coordinator nothing, which hears of the run again when it can start."""
    database: Database = request.app.state.database
    attendance: Attendance = request.app.state.attendance
    deadline = asyncio.get_running_loop().time() + _WAIT_STEP_S
    while True:
        async with database.transaction() as session:
            step = await next_step.next_step(session, run_id, body.holder, attendance.since)
        if step.kind != "wait" or step.run_state != "running" or asyncio.get_running_loop().time() >= deadline:
            return step
        with database.bus.listen(run_id) as messages:
            await wait_for_message(messages, _LOOK_AGAIN_S)


@router.post("/trials/{trial_id:uuid}/start")
async def start_trial(trial_id: UUID, body: LeaseRequest, session: SessionDep) -> TrialControl:
    """Choose the instant at which a ready trial starts on all its hosts."""
    return await next_step.start_trial(session, trial_id, body.holder)


@router.get("/trials/{trial_id:uuid}")
async def trial_status(
    trial_id: UUID,
    request: Request,
    until: Literal["ready", "ended"] = "ended",
    wait_s: Annotated[float, Query(ge=0, le=30, allow_inf_nan=False)] = 0,
    run_id: UUID | None = None,
) -> TrialStatus:
    """A trial's state; waits up to ``wait_s`` until it is ready (or ended), or ended. Holds no session meanwhile."""
    database: Database = request.app.state.database
    deadline = asyncio.get_running_loop().time() + wait_s
    if run_id is None:
        run_id, _ = await _state_of(database, trial_id)
    with database.bus.listen(run_id) as messages:
        while True:
            _, state = await _state_of(database, trial_id)
            status = next_step.status_of(trial_id, state)
            left = deadline - asyncio.get_running_loop().time()
            if status.ended or (until == "ready" and status.ready) or left <= 0:
                return status
            told = await wait_for_message(messages, min(left, database.bus.patience_s), telemetry=False)
            if not told and deadline <= asyncio.get_running_loop().time():
                return status  # the next request begins with a look


async def _state_of(database: Database, trial_id: UUID) -> tuple[UUID, TrialState]:
    """The run of a trial, and its own state."""
    return existing(await repository.state_of_trial(database, trial_id), "trial")
