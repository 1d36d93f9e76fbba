"""What ``/metrics`` asks PostgreSQL and Redis."""

from datetime import datetime

from ngxlab_contracts.broker import COORDINATOR_QUEUE, host_queue
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.bus import Bus
from ngxlab.hosts.models import Host
from ngxlab.runs.models import Run


async def runs_by_state(session: AsyncSession) -> dict[str, int]:
    rows = await session.execute(select(Run.state, func.count()).group_by(Run.state))
    return {str(state): count for state, count in rows}


async def heartbeats(session: AsyncSession) -> dict[str, datetime | None]:
    """The last one of each registered host, by its name."""
    hosts = await session.execute(select(Host.name, Host.heartbeat_at).where(Host.removed_at.is_(None)))
    return {host.name: host.heartbeat_at for host in hosts}


async def queue_lengths(session: AsyncSession, bus: Bus) -> dict[str, int]:
    """Hints that nobody has taken: for coordinators, and for all hosts together. Raises RedisError."""
    hosts = await session.scalars(select(Host.id).where(Host.removed_at.is_(None)))
    async with bus.redis.pipeline(transaction=False) as pipeline:
        pipeline.llen(COORDINATOR_QUEUE)
        for host in hosts:
            pipeline.llen(host_queue(host))
        coordinator, *of_hosts = await pipeline.execute()
    return {"coordinator": coordinator, "hosts": sum(of_hosts)}
