"""Tell viewers that something about a run changed."""

from uuid import UUID

from ngxlab_contracts.queues import COORDINATOR_QUEUE, TASK_DRIVE_RUN
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.bus import LiveMessage
from ngxlab.core.clock import utcnow
from ngxlab.core.database import after_commit, bus_of
from ngxlab.runs import repository
from ngxlab.runs.models import Run


async def announce(session: AsyncSession, run_id: UUID, kind: str = "state", body: str = "") -> int:
    """Take the run's next live position and publish after the commit. Returns the position."""
    live_seq = await repository.raise_live_seq(session, run_id)
    bus = bus_of(session)
    message = LiveMessage(live_seq, kind, body)
    after_commit(session, lambda: bus.publish(run_id, message))
    return live_seq


def hint_coordinator(session: AsyncSession, run: Run) -> None:
    """Ask any coordinator to drive the run. A second hint is harmless: the lease decides."""
    run.hinted_at = utcnow()
    bus, run_id = bus_of(session), run.id
    after_commit(session, lambda: bus.send_task(TASK_DRIVE_RUN, run_id, COORDINATOR_QUEUE))
