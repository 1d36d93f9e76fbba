"""Tell viewers that something about a run changed."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.bus import LiveMessage
from ngxlab.core.database import after_commit, bus_of
from ngxlab.runs import repository


async def announce(session: AsyncSession, run_id: UUID, kind: str = "state", body: str = "") -> int:
    """Take the run's next live position and publish after the commit. Returns the position."""
    live_seq = await repository.raise_live_seq(session, run_id)
    bus = bus_of(session)
    message = LiveMessage(live_seq, kind, body)
    after_commit(session, lambda: bus.publish(run_id, message))
    return live_seq
