"""GET /experiments/{experiment_id}/trends."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from ngxlab.accounts.access import Viewer
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import NotFound, responses
from ngxlab.core.payload import Prose
from ngxlab.runs.schemas import MOST_OF_A_BRANCH
from ngxlab.trends import service
from ngxlab.trends.schemas import Trends

router = APIRouter(route_class=GuardedRoute, tags=["trends"])


@router.get("/experiments/{experiment_id:uuid}/trends", responses=responses(NotFound))
async def get_trends(
    experiment_id: UUID,
    session: SessionDep,
    _: Viewer,
    branch: Annotated[Prose | None, Query(max_length=MOST_OF_A_BRANCH, description="Only runs of this branch.")] = None,
) -> Trends:
    """The experiment's primary metrics by arm over its latest 200 finished runs, and what changed between them."""
    return await service.trends(session, experiment_id, branch)
