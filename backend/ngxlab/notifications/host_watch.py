"""Tell whose host goes away, and comes back: once each, whatever restarts in between."""

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Attendance, Queue, Round, job
from ngxlab.hosts import repository
from ngxlab.hosts.models import Host
from ngxlab.outbox.models import NotificationKind
from ngxlab.outbox.repository import post

_PATIENCE = timedelta(seconds=60)
"""The silence that is told: a host that restarts, or whose link is cut for a moment, is not worth a message."""


class HostWatch:
    """``heard_since``: since when hosts could be heard; silence before that says nothing."""

    def __init__(self, database: Database, heard_since: Callable[[], datetime]) -> None:
        self._database = database
        self._heard_since = heard_since

    async def look(self) -> None:
        """Everything that there is to do now."""
        async with self._database.transaction() as session:
            now = utcnow()
            if now - self._heard_since() > _PATIENCE:
                for host in await repository.gone_silent(session, now - _PATIENCE):
                    host.away_since = host.heartbeat_at
                    await _tell(session, NotificationKind.host_away, host, host.heartbeat_at)
            for host in await repository.heard_again(session, now):
                since, host.away_since = host.away_since, None
                await _tell(session, NotificationKind.host_back, host, since)


async def _tell(session: AsyncSession, kind: NotificationKind, host: Host, since: datetime | None) -> None:
    """Who invited the host; administrators, where nobody did, as for the host of the installation itself."""
    text = f"{since:%Y-%m-%d %H:%M:%S} UTC" if since else "it was last heard"
    await post(session, kind, host.created_by, host.id, host=host.name, since=text)


@job("hosts-away", Queue.now, limit_s=60, is_round=True)
async def hosts_away(task: Task, heard: str, broker: str) -> None:
    """Tell whose host has gone away or come back."""
    await HostWatch(task.database, Attendance.read(heard).since).look()


def round_of_hosts() -> Round:
    return Round(hosts_away, question=repository.is_any_changed(_PATIENCE), with_attendance=True)
