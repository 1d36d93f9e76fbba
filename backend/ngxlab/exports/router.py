"""/runs/ID/exports and /shared/TOKEN/exports: runs as files."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any
from uuid import UUID

from anyio import CancelScope
from fastapi import APIRouter, Depends, Query, Request, status
from fastapi.responses import StreamingResponse
from starlette.types import Send

from ngxlab.accounts.access import Caller, experiment_in_short_session, view_in_short_session
from ngxlab.accounts.models import Language
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute, public
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.errors import Conflict, NotFound, TooManyRequests, Unavailable, responses
from ngxlab.core.throttle import Quota
from ngxlab.experiments.preview_process import PreviewProcessDep
from ngxlab.exports.archive.reading import MOST_BYTES
from ngxlab.exports.archive.storing import import_run as take_in
from ngxlab.exports.formats import MEDIA_TYPES, ExportName
from ngxlab.exports.service import Export, export
from ngxlab.reports.schemas import Report
from ngxlab.runs import service as runs
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.schemas import RunDetail
from ngxlab.runs.service import run_object
from ngxlab.shares import service as shares
from ngxlab.shares.models import Share, ShareKind
from ngxlab.shares.service import record_opening
from ngxlab.shares.snapshots import shown_report

LONGEST_S = 600.0
"""Who has not read a file by then reads too slowly: others wait for the place."""


def file_answer(name: ExportName, made: Export) -> StreamingResponse:
    """A file that breaks off is no whole answer, so that no half of one is taken for it."""
    headers = {"Content-Disposition": f'attachment; filename="{made.name.file(name)}"'}
    return _InTime(made.pieces, media_type=MEDIA_TYPES[name], headers=headers)


class _InTime(StreamingResponse):
    """Ends in time even if its reader takes nothing. What it is made from is closed then, and when its reader goes."""

    body_iterator: AsyncGenerator[bytes]

    async def stream_response(self, send: Send) -> None:
        try:
            async with asyncio.timeout(LONGEST_S):
                await super().stream_response(send)
        finally:
            with CancelScope(shield=True):  # what is closed may have a transaction to end
                await self.body_iterator.aclose()


AT_ONCE = 2


class ExportTurns:
    """Each file takes a connection to the database and much of a processor."""

    def __init__(self) -> None:
        self._quota, self._places = Quota(), asyncio.Semaphore(AT_ONCE)

    @asynccontextmanager
    async def turn(self, who: UUID) -> AsyncIterator[None]:
        """Waits for a place. Raises TooManyRequests for who has too many files on their way."""
        async with self._quota.turn(who), self._places:
            yield


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
