"""What prevents a run's next trial from starting."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.hosts import availability
from ngxlab.hosts import repository as hosts
from ngxlab.runs import repository
from ngxlab.runs.coordinators import LEASE_TTL
from ngxlab.runs.models import Run
from ngxlab.runs.queue.waiting import current_waits
from ngxlab.runs.states import RunState
from ngxlab.runs.watch.lost_trials import HeardSince

_HOST_PATIENCE = timedelta(minutes=5)
"""Longer than a silent host keeps its trial (``runs.watch.lost_trials``): the run then waits for the host."""


async def obstacle(session: AsyncSession, run: Run) -> str | None:
    """Why no trial can start now, or ``None`` after the hosts have been leased to the run."""
    now = utcnow()
    for entry in run.hosts:
        if reason := availability.absence(entry.host, now) or availability.trouble(entry.host):
            return f"Waits for host {entry.host.name}: it {reason}."
    # A run that has begun keeps its hosts: if it yielded to an older run that is queued again, each would wait.
    if run.state == RunState.queued and (wait := (await current_waits(session)).get(run.id)) is not None:
        return wait.reason
    host_ids = list({entry.host_id for entry in run.hosts})
    if await repository.others_measure_on(session, run.id, host_ids):
        return "Another run is still measuring on these hosts."
    if not await hosts.acquire_leases(session, run.id, host_ids, LEASE_TTL * 2):
        return "Another run holds one of the hosts; this run starts when that run has ended."
    return None


def host_is_gone_for_long(run: Run, heard_since: HeardSince) -> bool:
    """Whether a host of the run was removed, or has been silent for longer than a restart takes.

    ``heard_since``: silence counts from here at the earliest, since a backend that was itself away has heard nobody.
    """
    now = utcnow()
    since = heard_since()  # asked last, so that a clock that is set meanwhile is noticed
    return any(
        entry.host.removed_at is not None or now - max(entry.host.heartbeat_at or since, since) > _HOST_PATIENCE
        for entry in run.hosts
    )
