"""/runs/ID/exports and /shared/TOKEN/exports: runs as files."""

from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse

from ngxlab.accounts.access import Caller, view_in_short_session
from ngxlab.accounts.models import Language
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute, public
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.errors import NotFound, TooManyRequests, Unavailable, responses
from ngxlab.exports.answer import file_answer
from ngxlab.exports.formats import MEDIA_TYPES, ExportName
from ngxlab.exports.service import export
from ngxlab.exports.turns import ExportTurns
from ngxlab.reports.schemas import Report
from ngxlab.runs import service as runs
from ngxlab.runs.audit_entries import run_object
from ngxlab.runs.presentation import run_summary
from ngxlab.shares import service as shares
from ngxlab.shares.audit_entries import record_opening
from ngxlab.shares.models import Share, ShareKind
from ngxlab.shares.snapshots import shown_report

router = APIRouter(route_class=GuardedRoute, tags=["exports"])
shared_router = APIRouter(route_class=GuardedRoute, prefix="/shared", tags=["shared"], dependencies=[Depends(public)])

PaperLanguage = Annotated[
    Language, Query(description="of `report.pdf`; pages in other files follow their reader's browser")
]

_FILE: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file", "content": {kind.partition(";")[0]: _FILE for kind in MEDIA_TYPES.values()}}
}


async def _turn_of_person(
    request: Request, caller: Annotated[Caller, Depends(view_in_short_session)]
) -> AsyncIterator[Caller]:
    """Held until the file has left. Who waits for it holds no connection to the database."""
    turns: ExportTurns = request.app.state.export_turns
    async with turns.turn(caller.account.id):
        yield caller


async def _turn_of_share(request: Request, token: str) -> AsyncIterator[Share]:
    """The share behind the link. Held until the file has left."""
    database: Database = request.app.state.database
    async with database.transaction() as session:
        share = await shares.shared(session, token, ShareKind.report)
    turns: ExportTurns = request.app.state.export_turns
    async with turns.turn(share.id):
        yield share


@router.get(
    "/runs/{run_id:uuid}/exports/{name}",
    response_class=StreamingResponse,
    responses=_FILES | responses(TooManyRequests, Unavailable),
)
async def export_run(
    run_id: UUID,
    name: ExportName,
    request: Request,
    caller: Annotated[Caller, Depends(_turn_of_person)],
    language: PaperLanguage = Language.english,
) -> StreamingResponse:
    """A run as a file. ``run.zip`` is all of it, to be imported elsewhere, once it is over."""
    answer = await _file(request, run_id, name, language)
    if name is ExportName.run_zip:
        database: Database = request.app.state.database
        async with database.transaction() as session:
            run = run_object(run_summary(await runs.get(session, run_id)))
            await record(session, caller.actor, Act.run_exported, run)
    return answer


@shared_router.get(
    "/{token}/exports/{name}",
    response_class=StreamingResponse,
    responses=_FILES | responses(TooManyRequests, Unavailable),
)
async def export_shared_run(
    token: str,
    name: ExportName,
    request: Request,
    share: Annotated[Share, Depends(_turn_of_share)],
    language: PaperLanguage = Language.english,
) -> StreamingResponse:
    """The report behind a link as a file; all but ``run.zip``, which has the raw records."""
    if name is ExportName.run_zip:
        raise NotFound("A link does not give the archive of a run. Sign in for it.", code="not-shared")
    database: Database = request.app.state.database
    async with database.transaction() as session:
        report = await shown_report(session, share)
    answer = await _file(request, report.run.id, name, language, report)
    answer.headers["X-Robots-Tag"] = "noindex"
    async with database.transaction() as session:
        await record_opening(session, await shares.shared(session, token), "export")
    return answer


async def _file(
    request: Request, run_id: UUID, name: ExportName, language: Language, report: Report | None = None
) -> StreamingResponse:
    """``report``: the one that a link shows."""
    settings: Settings = request.app.state.settings
    database: Database = request.app.state.database
    made = await export(database, settings, run_id, name, shown=report, language=language)
    return file_answer(name, made)
