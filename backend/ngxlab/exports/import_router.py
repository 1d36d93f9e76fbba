"""POST /runs/import."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, status

from ngxlab.accounts.access import Caller, experiment_in_short_session
from ngxlab.core.access import GuardedRoute
from ngxlab.core.errors import Conflict, TooManyRequests, responses
from ngxlab.experiments.preview_process import PreviewProcessDep
from ngxlab.exports.archive.importing import import_run as take_in
from ngxlab.exports.archive.reading import MOST_BYTES
from ngxlab.exports.turns import ExportTurns
from ngxlab.runs.schemas import RunDetail

router = APIRouter(route_class=GuardedRoute, tags=["exports"])

_BODY: dict[str, Any] = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}


@router.post(
    "/runs/import",
    status_code=status.HTTP_201_CREATED,
    responses=responses(Conflict, TooManyRequests),
    openapi_extra={"requestBody": {"required": True, "content": _BODY}},
    max_body_size=MOST_BYTES,
)
async def import_run(
    request: Request, caller: Annotated[Caller, Depends(experiment_in_short_session)], previews: PreviewProcessDep
) -> RunDetail:
    """Take in the archive of a run that another installation measured (``run.zip``). Its hosts are names only."""
    turns: ExportTurns = request.app.state.export_turns
    async with turns.turn(caller.account.id):
        return await take_in(request.app.state.database, previews, caller, request.stream())
