"""/runs."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from ngxlab.access import Experimenter, Viewer
from ngxlab.database import SessionDep
from ngxlab.errors import Conflict, Forbidden, NotFound, responses
from ngxlab.runs import service, steering
from ngxlab.runs.schemas import RunDetail, RunPage

router = APIRouter(tags=["runs"])


@router.get("/runs")
async def list_runs(
    session: SessionDep,
    _: Viewer,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> RunPage:
    """Runs of all experiments, newest first."""
    return await service.page(session, limit=limit, offset=offset)


@router.get("/runs/{run_id}", responses=responses(NotFound))
async def get_run(run_id: UUID, session: SessionDep, caller: Viewer) -> RunDetail:
    """A run with its plan, trials and progress."""
    return await service.detail(session, run_id, caller)


@router.post("/runs/{run_id}/cancel", responses=responses(NotFound, Conflict, Forbidden))
async def cancel_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """End a run within seconds. What was measured is kept and reported."""
    return await service.cancel(session, caller, run_id)


@router.post("/runs/{run_id}/pause", responses=responses(NotFound, Conflict, Forbidden))
async def pause_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """Finish the trial under way and begin no other until the run is resumed; the hosts are free meanwhile."""
    await steering.pause(session, caller, run_id)
    return await service.detail(session, run_id, caller)


@router.post("/runs/{run_id}/resume", responses=responses(NotFound, Forbidden))
async def resume_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """Go on with a paused run."""
    await steering.resume(session, caller, run_id)
    return await service.detail(session, run_id, caller)


@router.post("/runs/{run_id}/retry", responses=responses(NotFound, Conflict, Forbidden))
async def retry_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """Try a failed run's missing trials again; what was measured stays."""
    await steering.retry_failed(session, caller, run_id)
    return await service.detail(session, run_id, caller)


@router.post("/trials/{trial_id}/skip", responses=responses(NotFound, Conflict, Forbidden))
async def skip_trial(trial_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """Go on without this trial; one under way is stopped."""
    run_id = await steering.skip_trial(session, caller, trial_id)
    return await service.detail(session, run_id, caller)
