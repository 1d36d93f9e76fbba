"""The deletion of hosts' histories in the background, run by run."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.record import system
from ngxlab.retention import service
from ngxlab.retention.host_history import repository
from ngxlab.retention.rule import remove_raw

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
