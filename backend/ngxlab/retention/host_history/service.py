"""How much was measured on a host, and the order to delete it."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.acts import Act
from ngxlab.audit.record import Actor, Object, record
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict, Invalid, NotFound
from ngxlab.hosts.models import Host
from ngxlab.hosts.repository import host_by_id
from ngxlab.retention.host_history import repository
from ngxlab.retention.host_history.schemas import DeletionUnderWay, HistoryPart, HistoryToDelete, HostHistory
from ngxlab.retention.models import HostHistoryDeletion


async def overview(session: AsyncSession, host_id: UUID) -> HostHistory:
    """Raises NotFound."""
    await _host(session, host_id)
    deletion = await session.get(HostHistoryDeletion, host_id)
    left = await repository.count_left(session, deletion) if deletion is not None else 0
    return HostHistory(
        parts=[HistoryPart(**part._mapping) for part in await repository.parts(session, host_id)],
        under_way=await repository.count_under_way(session, host_id),
        calibrations=await repository.count_calibrations(session, host_id),
        deletion=DeletionUnderWay(asked_at=deletion.asked_at, runs_left=left) if deletion is not None else None,
    )


async def delete(session: AsyncSession, by: Actor, host_id: UUID, wanted: HistoryToDelete) -> HostHistory:
    """Of runs that are over now; it follows from the backend's upkeep.

    Raises Invalid for another name than the host's, Conflict while an earlier deletion goes on.
    """
    host = await _host(session, host_id)
    if wanted.name != host.name:
        raise Invalid(f"The host is named {host.name}. Repeat its name to confirm.", code="name-differs")
    chosen = wanted.model_dump(exclude={"name"})
    deletion = await repository.begin(session, host_id, utcnow(), chosen)
    if deletion is None:
        raise Conflict("Its history is being deleted already. Wait for the end.", code="history-being-deleted")
    runs = await repository.count_left(session, deletion)
    await record(session, by, Act.host_history_deleted, Object("host", host.id, host.name), runs=runs, **chosen)
    return await overview(session, host_id)


async def _host(session: AsyncSession, host_id: UUID) -> Host:
    """A removed one, too."""
    host = await host_by_id(session, host_id)
    if host is None:
        raise NotFound("There is no such host.")
    return host
