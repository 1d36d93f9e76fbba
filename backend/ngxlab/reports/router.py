"""/runs/ID/report."""

from uuid import UUID

from fastapi import APIRouter

from ngxlab.accounts.access import Viewer
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.reports import service
from ngxlab.reports.schemas import Report

router = APIRouter(route_class=GuardedRoute, tags=["reports"])


@router.get("/runs/{run_id:uuid}/report")
async def get_report(run_id: UUID, session: SessionDep, caller: Viewer) -> Report:
    """The report of a run, also while it is running and after it has failed."""
    return await service.report(session, run_id, caller)
