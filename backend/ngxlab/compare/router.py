"""GET /compare."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import StringConstraints

from ngxlab.accounts.access import Viewer
from ngxlab.compare import service
from ngxlab.compare.schemas import RunComparison
from ngxlab.compare.selection import MOST_RUNS, Asked
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Invalid, NotFound, responses
from ngxlab.runs.service import require_readable

router = APIRouter(route_class=GuardedRoute, tags=["compare"])

_Text = Annotated[str, StringConstraints(max_length=500)]


@router.get("/compare", responses=responses(NotFound, Invalid, Conflict))
async def compare_runs(  # noqa: PLR0917 (parameters of a query)
    session: SessionDep,
    caller: Viewer,
    runs: Annotated[list[UUID], Query(min_length=2, max_length=MOST_RUNS, description="The runs; repeat it for each.")],
    arms: Annotated[
        list[_Text] | None,
        Query(max_length=100, description="`RUN:ARM`, or `ARM` for that arm of all runs; without it, all arms."),
    ] = None,
    baseline: Annotated[
        _Text | None,
        Query(
            description="`RUN`, whose arms are the baselines of the arms of the same name (else the oldest), "
            "or `RUN:ARM`, with which all are compared."
        ),
    ] = None,
    factor: Annotated[
        list[_Text] | None,
        Query(max_length=50, description="Keys of the differences that are asked about; others are confounders."),
    ] = None,
) -> RunComparison:
    """Arms of several runs compared: what differs in set-up, what cannot be compared, and what may be said."""
    asked = Asked(runs=list(dict.fromkeys(runs)), arms=arms or [], baseline=baseline, factors=factor or [])
    for run_id in asked.runs:
        await require_readable(session, caller, run_id)
    return await service.compare(session, asked)
