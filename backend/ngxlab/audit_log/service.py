"""Pages of the audit log, and the whole of it as a file."""

import csv
import io
import json
from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.models import AuditEntry, AuditTally
from ngxlab.audit_log import repository
from ngxlab.audit_log.schemas import AuditEntryOut, AuditExportQuery, AuditFilter, AuditQuery
from ngxlab.core.database import Database
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
