"""/runs/ID/exports and /shared/TOKEN/exports: runs as files."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, Any, cast
from uuid import UUID

from anyio import CancelScope
from fastapi import APIRouter, Depends, Query, Request, status
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect
from starlette.types import Message, Send

from ngxlab.accounts.access import Caller, experiment_in_short_session, view_in_short_session
from ngxlab.accounts.models import Language
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute, public
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.errors import Conflict, NotFound, TooManyRequests, Unavailable, responses
from ngxlab.core.throttle import Quota
from ngxlab.exports.archive.importing import import_run as take_in
from ngxlab.exports.archive.reading import MOST_BYTES
from ngxlab.exports.formats import MEDIA_TYPES, ExportName, RunName, run_name
from ngxlab.exports.pdf import Paper, Sheets
from ngxlab.exports.service import Export, export
from ngxlab.reports.schemas import Report
from ngxlab.runs import service as runs
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.schemas import RunDetail
from ngxlab.runs.service import run_object
from ngxlab.shares import repository as share_files
from ngxlab.shares import service as shares
from ngxlab.shares.models import Share, ShareKind
from ngxlab.shares.service import record_opening
from ngxlab.shares.snapshots import shown_report

LONGEST_S = 600.0
"""Bounds the making of a file."""
PIECE, SLOWEST_S = 256 << 10, 30.0
"""Who takes longer for a piece reads too slowly, and is left."""
_IN_MEMORY = 1 << 20


async def made_file(made: Export) -> IO[bytes]:
    """All of it, on the disk where it is large, so that the place where it was made is free before it is read."""
    file = SpooledTemporaryFile(_IN_MEMORY, prefix="ngxlab-export-")  # noqa: SIM115 — whoever reads it closes it
    try:
        async with asyncio.timeout(LONGEST_S), aclosing(made.pieces) as pieces:
            async for piece in pieces:
                await asyncio.to_thread(file.write, piece)
    except BaseException:
        file.close()
        raise
    return file


def file_answer(name: ExportName, named: RunName, file: IO[bytes]) -> StreamingResponse:
    """A file that breaks off is no whole answer, so that no half of one is taken for it. Closes ``file``."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    headers = {
        "Content-Disposition": f'attachment; filename="{named.file(name)}"',
        "Content-Length": str(size),
    }
    return _InTime(_pieces(file), media_type=MEDIA_TYPES[name], headers=headers)


async def _pieces(file: IO[bytes]) -> AsyncGenerator[bytes]:
    with file:
        while piece := await asyncio.to_thread(file.read, PIECE):
            yield piece


class _InTime(StreamingResponse):
    """Ends once its reader takes a piece too slowly. What it is made from is closed then, and when its reader goes."""

    body_iterator: AsyncGenerator[bytes]

    async def stream_response(self, send: Send) -> None:
        async def in_time(message: Message) -> None:
            async with asyncio.timeout(SLOWEST_S):
                await send(message)

        try:
            await super().stream_response(in_time)
        finally:
            with CancelScope(shield=True):
                await self.body_iterator.aclose()


class ExportTurns:
    """Making a file takes a connection to the database and much of a processor; having it read takes neither."""

    def __init__(self, places: int, of_a_person: int = 1) -> None:
        self._quota, self._places = Quota(of_a_person), asyncio.Semaphore(places)

    def turn(self, who: UUID) -> AbstractAsyncContextManager[None]:
        """Held until the file has left. Raises TooManyRequests for who has too many files on their way."""
        return self._quota.turn(who)

    def place(self) -> AbstractAsyncContextManager[None]:
        """Held while the file is made. Waits until one is free."""
        return self._places


@dataclass(frozen=True)
class Turns:
    """Neither readers of links nor archives that are taken in take a place from who asks for a file. Nobody's archives
    keep all places of imports."""

    people: ExportTurns = field(default_factory=lambda: ExportTurns(2))
    links: ExportTurns = field(default_factory=lambda: ExportTurns(1))
    imports: ExportTurns = field(default_factory=lambda: ExportTurns(3, of_a_person=2))


router = APIRouter(route_class=GuardedRoute, tags=["exports"])
shared_router = APIRouter(route_class=GuardedRoute, prefix="/shared", tags=["shared"], dependencies=[Depends(public)])


def _sheets(
    language: Annotated[
        Language, Query(description="of `report.pdf`; pages in other files follow their reader's browser")
    ] = Language.english,
    paper: Annotated[Paper, Query(description="the size of the sheets of `report.pdf`")] = Paper.a4,
) -> Sheets:
    return Sheets(language, paper)


OnSheets = Annotated[Sheets, Depends(_sheets)]

_FILE: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file", "content": {kind.partition(";")[0]: _FILE for kind in MEDIA_TYPES.values()}}
}


async def _turn_of_person(
    request: Request, caller: Annotated[Caller, Depends(view_in_short_session)]
) -> AsyncIterator[Caller]:
    """Held until the file has left. Who waits for it holds no connection to the database."""
    turns: Turns = request.app.state.export_turns
    async with turns.people.turn(caller.account.id):
        yield caller


async def _turn_of_share(request: Request, token: str) -> AsyncIterator[Share]:
    """The share behind the link. Held until the file has left."""
    database: Database = request.app.state.database
    async with database.transaction() as session:
        share = await shares.shared(session, token, ShareKind.report)
    turns: Turns = request.app.state.export_turns
    async with turns.links.turn(share.id):
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
    sheets: OnSheets,
) -> StreamingResponse:
    """A run as a file. ``run.zip`` is all of it, to be imported elsewhere, once it is over."""
    turns: Turns = request.app.state.export_turns
    async with turns.people.place():
        named, file = await _file(request, run_id, name, sheets)
    answer = file_answer(name, named, file)
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
    sheets: OnSheets,
) -> StreamingResponse:
    """The report behind a link as a file; all but ``run.zip``, which has the raw records."""
    if name is ExportName.run_zip:
        raise NotFound("A link does not give the archive of a run. Sign in for it.", code="not-shared")
    database: Database = request.app.state.database
    turns: Turns = request.app.state.export_turns
    printed = sheets if name is ExportName.report_pdf else Sheets()
    kept_as = name if printed.paper is Paper.a4 else f"{name} {printed.paper}"
    key = share_files.FileKey(share.id, kept_as, printed.language)
    async with turns.links.place():
        async with database.transaction() as session:
            report, as_of = await shown_report(session, share)
            kept = await share_files.file(session, key)
        if kept is not None:
            answer = file_answer(name, run_name(report.run), BytesIO(kept))
        else:
            named, file = await _file(request, report.run.id, name, printed, report)
            if as_of is not None and (content := _small(file)) is not None:
                async with database.transaction() as session:
                    await share_files.keep_file(session, key, as_of, content)
            answer = file_answer(name, named, file)
    answer.headers["X-Robots-Tag"] = "noindex"
    async with database.transaction() as session:
        await record_opening(session, await shares.shared(session, token), "export")
    return answer


async def _file(
    request: Request,
    run_id: UUID,
    name: ExportName,
    sheets: Sheets,
    report: Report | None = None,
) -> tuple[RunName, IO[bytes]]:
    """``report``: the one that a link shows."""
    settings: Settings = request.app.state.settings
    database: Database = request.app.state.database
    made = await export(database, settings, run_id, name, shown=report, sheets=sheets)
    return made.name, await made_file(made)


MOST_KEPT = 16 << 20


def _small(file: IO[bytes]) -> bytes | None:
    """Its content, unless it is too large to be kept."""
    if file.tell() > MOST_KEPT:
        return None
    file.seek(0)
    return file.read()


_BODY: dict[str, Any] = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}


@router.post(
    "/runs/import",
    status_code=status.HTTP_201_CREATED,
    responses=responses(Conflict, TooManyRequests),
    openapi_extra={"requestBody": {"required": True, "content": _BODY}},
    max_body_size=MOST_BYTES,
)
async def import_run(request: Request, caller: Annotated[Caller, Depends(experiment_in_short_session)]) -> RunDetail:
    """Take in the archive of a run that another installation measured (``run.zip``). Its hosts are names only."""
    turns: Turns = request.app.state.export_turns
    settings, database = request.app.state.settings, request.app.state.database
    async with turns.imports.turn(caller.account.id):
        taking_in = _while_asked_for(request, turns.imports.place())
        return await take_in(settings, database, caller, request.stream(), taking_in)


@asynccontextmanager
async def _while_asked_for(request: Request, place: AbstractAsyncContextManager[None]) -> AsyncIterator[None]:
    """What is done in the place, or waits for it, ends when whoever asked goes. Entered once the body is here."""
    task, has_gone = cast("asyncio.Task[object]", asyncio.current_task()), asyncio.Event()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        has_gone.set()
        task.cancel()

    watching = asyncio.create_task(watch())
    try:
        async with place:
            yield
    except asyncio.CancelledError:
        if not has_gone.is_set():
            raise
        task.uncancel()
        raise ClientDisconnect from None
    finally:
        watching.cancel()
