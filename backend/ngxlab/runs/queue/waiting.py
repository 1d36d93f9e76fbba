"""What queued runs wait for, as it is now; and hints to a coordinator for those that wait for nothing."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from ngxlab_contracts.broker import COORDINATOR_QUEUE, TASK_DRIVE_RUN
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.database import after_commit, bus_of
from ngxlab.runs.models import Run
from ngxlab.runs.queue import repository
from ngxlab.runs.queue.order import Wait, waits

_HINT_AGAIN = timedelta(seconds=3)


async def current_waits(session: AsyncSession) -> dict[UUID, Wait]:
    """What each queued run waits for; those that may start are left out."""
    return waits(await repository.queue(session), await repository.holders(session))


async def offer(session: AsyncSession, run: Run) -> None:
    """Have a coordinator drive the run now, if it waits for nothing; otherwise :func:`hint` will, when that ends."""
    await session.flush()
    if run.id not in await current_waits(session):
        await _hint(session, [run.id])


async def hint(session: AsyncSession, *, taken: bool) -> None:
    """Hint at each run that could go on and that nobody drives.

    ``taken``: no hint waits for a coordinator. Only then is a hint repeated, after some seconds: the first one was
    lost. So there is never more than one for a run, however long no coordinator is there to take it.
    """
    lost_before = utcnow() - _HINT_AGAIN if taken else None
    undriven = await repository.undriven(session, lost_before)
    # Asked last: a run that is queued between the two questions would seem to wait for nothing.
    waiting = await current_waits(session)
    await _hint(session, [run_id for run_id in undriven if run_id not in waiting])


async def _hint(session: AsyncSession, run_ids: Sequence[UUID]) -> None:
    if not run_ids:
        return
    await repository.note_hints(session, run_ids)
    bus = bus_of(session)

    async def send() -> None:
        for run_id in run_ids:
            await bus.send_task(TASK_DRIVE_RUN, run_id, COORDINATOR_QUEUE)

    after_commit(session, send)
