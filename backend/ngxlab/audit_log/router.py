"""/audit, for administrators."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from ngxlab.accounts.access import Administrator
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.audit_log import service
from ngxlab.audit_log.schemas import AuditEntryOut, AuditExportQuery, AuditQuery
from ngxlab.core.access import GuardedRoute
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.paging import Page

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
    return await service.page(session, query)


@router.get("/export", response_class=StreamingResponse, responses={200: {"content": _FILES}})
async def export_audit_entries(
    query: Annotated[AuditExportQuery, Query()], request: Request, session: SessionDep, caller: Administrator
) -> StreamingResponse:
    """All matching entries as a file. That they left is entered, too."""
    asked = query.model_dump(mode="json", exclude_defaults=True)
    await record(session, caller.actor, Act.audit_exported, Object("audit-log", None, "audit log"), **asked)
    database: Database = request.app.state.database
    return StreamingResponse(
        service.export(database, query),
        media_type="text/csv; charset=utf-8" if query.format == "csv" else "application/json",
        headers={"Content-Disposition": f'attachment; filename="{_file_name(utcnow())}.{query.format}"'},
    )


def _file_name(now: datetime) -> str:
    return f"ngxlab-audit-{now:%Y%m%d-%H%M%S}"
