"""The history of a host: what was measured on it, and its deletion."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.acts import Act
from ngxlab.audit.record import Actor, Object, record, system
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict, Invalid, existing
from ngxlab.hosts.models import Host
from ngxlab.hosts.repository import host_by_id
from ngxlab.retention import service
from ngxlab.retention.host_history import repository
from ngxlab.retention.models import HostHistoryDeletion
from ngxlab.retention.schemas import DeletionUnderWay, HistoryPart, HistoryToDelete, HostHistory
from ngxlab.retention.service import remove_raw


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
    """Orders the deletion of runs that are over now; the backend's upkeep carries it out.

    Raises Invalid for another name than the host's, Conflict while an earlier deletion goes on.
    """
    host = await _host(session, host_id)
    if wanted.name != host.name:
        raise Invalid("The host is named {host}. Repeat its name to confirm.", host=host.name, code="name-differs")
    chosen = wanted.model_dump(exclude={"name"})
    deletion = await repository.begin(session, host_id, utcnow(), chosen)
    if deletion is None:
        raise Conflict("Its history is being deleted already. Wait for the end.", code="history-being-deleted")
    runs = await repository.count_left(session, deletion)
    await record(session, by, Act.host_history_deleted, Object("host", host.id, host.name), runs=runs, **chosen)
    return await overview(session, host_id)


async def _host(session: AsyncSession, host_id: UUID) -> Host:
    """A removed one, too."""
    return existing(await host_by_id(session, host_id), "host")


_BY = system("deletion of a host's history")


async def delete_next(session: AsyncSession, unreadable: set[UUID]) -> bool:
    """One run of the oldest deletion; whether there was any.

    A run that cannot be analysed once more, so that its verdict stays, keeps its raw data and is added to
    ``unreadable``.
    """
    deletion = await repository.next_deletion(session)
    if deletion is None:
        return False
    run = await repository.next_run(session, deletion, unreadable)
    if run is None:
        if await repository.count_left(session, deletion, unreadable):
            return False  # a host is still at a trial of it, or somebody changes it just now
        if deletion.verdicts:
            await repository.delete_calibrations(session, deletion)
        await session.delete(deletion)
    elif deletion.verdicts:
        await service.remove(session, run, _BY)
    elif not await remove_raw(session, run, _BY, None):
        unreadable.add(run.id)
    return True
