"""/hosts/ID/history."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from ngxlab.accounts.access import Administrator
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.retention.host_history import service
from ngxlab.retention.schemas import HistoryToDelete, HostHistory

router = APIRouter(route_class=GuardedRoute, prefix="/hosts", tags=["hosts"])


@router.get("/{host_id:uuid}/history")
async def get_host_history(host_id: UUID, session: SessionDep, _: Administrator) -> HostHistory:
    """Amounts that were measured on a host, by what spares them from a deletion."""
    return await service.overview(session, host_id)


@router.delete("/{host_id:uuid}/history", status_code=status.HTTP_202_ACCEPTED)
async def delete_host_history(
    host_id: UUID, wanted: Annotated[HistoryToDelete, Query()], session: SessionDep, caller: Administrator
) -> HostHistory:
    """Delete what was measured on a host until now, for good: raw data, or runs. It goes on in the background.

    Starred runs, runs that links show and runs with other hosts are spared unless they are asked for. A removed host's
    history can be deleted, too.
    """
    return await service.delete(session, caller.actor, host_id, wanted)
