"""/runs."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from ngxlab.access import Experimenter, Viewer
from ngxlab.database import SessionDep
from ngxlab.errors import Conflict, Forbidden, NotFound, responses
from ngxlab.runs import service
from ngxlab.runs.schemas import RunDetail, RunPage

router = APIRouter(prefix="/runs", tags=["runs"])


@router.get("")
async def list_runs(
    session: SessionDep,
    _: Viewer,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> RunPage:
    """Runs of all experiments, newest first."""
    return await service.page(session, limit=limit, offset=offset)


@router.get("/{run_id}", responses=responses(NotFound))
async def get_run(run_id: UUID, session: SessionDep, caller: Viewer) -> RunDetail:
    """A run with its plan, trials and progress."""
    return await service.detail(session, run_id, caller)


@router.post("/{run_id}/cancel", responses=responses(NotFound, Conflict, Forbidden))
async def cancel_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """End a run within seconds. What was measured is kept and reported."""
    return await service.cancel(session, caller, run_id)
