"""/audit, for administrators."""

import csv
import io
import json
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Administrator
from ngxlab.audit.acts import Act
from ngxlab.audit.record import AuditEntry, AuditTally, Object, record
from ngxlab.audit_log import repository
from ngxlab.audit_log.schemas import AuditEntryOut, AuditExportQuery, AuditFilter, AuditQuery
from ngxlab.core.access import GuardedRoute
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.paging import Page

_AT_A_TIME = 1000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


async def page(session: AsyncSession, query: AuditQuery) -> Page[AuditEntryOut]:
    found = await repository.entries(session, query, query.limit + 1)
    items = [_out(*row) for row in found[: query.limit]]
    return Page(items=items, next=items[-1].id if len(found) > query.limit else None)


def _out(entry: AuditEntry, tally: AuditTally | None) -> AuditEntryOut:
    out = AuditEntryOut.model_validate(entry)
    return out.model_copy(update={"count": tally.count, "last_at": tally.last_at}) if tally else out


async def export(database: Database, query: AuditExportQuery) -> AsyncIterator[str]:
    """A file in pieces. Each piece is read in a transaction of its own, so that a slow reader holds none."""
    if query.format == "json":
        separator = "[\n"
        async for entry in _all(database, query):
            yield separator + entry.model_dump_json()
            separator = ",\n"
        yield "\n]\n" if separator == ",\n" else "[]\n"
        return
    yield _csv_line(list(AuditEntryOut.model_fields))
    async for entry in _all(database, query):
        values = entry.model_dump(mode="json") | {"detail": json.dumps(entry.detail, ensure_ascii=False)}
        yield _csv_line(["" if value is None else str(value) for value in values.values()])


async def _all(database: Database, query: AuditFilter) -> AsyncIterator[AuditEntryOut]:
    rest: AuditFilter | None = query
    while rest is not None:
        async with database.transaction() as session:
            rows = await repository.entries(session, rest, _AT_A_TIME)
        for row in rows:
            yield _out(*row)
        rest = rest.model_copy(update={"start": rows[-1][0].id}) if len(rows) == _AT_A_TIME else None


def _csv_line(cells: list[str]) -> str:
    """A spreadsheet must not take a name for a formula, so such a cell begins with an apostrophe."""
    line = io.StringIO()
    csv.writer(line).writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells])
    return line.getvalue()


router = APIRouter(route_class=GuardedRoute, prefix="/audit", tags=["audit"])

_FILES = {
    "text/csv": {"schema": {"type": "string"}},
    "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/AuditEntryOut"}}},
}


@router.get("")
async def list_audit_entries(
    query: Annotated[AuditQuery, Query()], session: SessionDep, _: Administrator
) -> Page[AuditEntryOut]:
    """Who did what, newest first."""
    return await page(session, query)


@router.get("/export", response_class=StreamingResponse, responses={200: {"content": _FILES}})
async def export_audit_entries(
    query: Annotated[AuditExportQuery, Query()], request: Request, session: SessionDep, caller: Administrator
) -> StreamingResponse:
    """All matching entries as a file. That they left is entered, too."""
    asked = query.model_dump(mode="json", exclude_defaults=True)
    await record(session, caller.actor, Act.audit_exported, Object("audit-log", None, "audit log"), **asked)
    database: Database = request.app.state.database
    return StreamingResponse(
        export(database, query),
        media_type="text/csv; charset=utf-8" if query.format == "csv" else "application/json",
        headers={"Content-Disposition": f'attachment; filename="{_file_name(utcnow())}.{query.format}"'},
    )


def _file_name(now: datetime) -> str:
    return f"ngxlab-audit-{now:%Y%m%d-%H%M%S}"
