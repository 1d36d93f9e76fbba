"""The right to drive a run: one coordinator at a time holds it, and renews it with its pulse."""

from uuid import UUID

from ngxlab_contracts.coordination import LeaseGrant
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict, NotFound
from ngxlab.hosts import repository as hosts
from ngxlab.runs import repository
from ngxlab.runs.coordinators import LEASE_TTL
from ngxlab.runs.models import Run
from ngxlab.runs.states import RunState


async def driven_run(session: AsyncSession, run_id: UUID, holder: UUID) -> Run:
    """The run, locked. Raises Conflict unless ``holder`` holds its lease."""
    run = await repository.lock_run(session, run_id)
    if run is None:
        raise NotFound("There is no such run.")
    if run.lease_holder != holder:
        raise Conflict("Another coordinator drives this run.", code="lease-lost")
    return run


async def take_lease(session: AsyncSession, run_id: UUID, holder: UUID) -> LeaseGrant:
    """Take or renew the right to drive a run. Raises Conflict if another holder has it or the run is over."""
    run = await repository.lock_run(session, run_id)
    if run is None:
        raise NotFound("There is no such run.")
    if RunState(run.state).final:
        raise Conflict(f"The run is {run.state}.", code=f"run-{run.state}")
    now = utcnow()
    held = run.lease_expires_at is not None and run.lease_expires_at > now
    if held and run.lease_holder != holder:
        raise Conflict("Another coordinator drives this run.", code="lease-held")
    run.lease_holder, run.lease_expires_at, run.hinted_at = holder, now + LEASE_TTL, None
    await hosts.renew_leases(session, run_id, LEASE_TTL * 2)
    return LeaseGrant(ttl_s=LEASE_TTL.total_seconds(), cancel_requested=run.cancel_requested_at is not None)


async def release_lease(session: AsyncSession, run_id: UUID, holder: UUID) -> None:
    """Release the right to drive a run; has no effect if another holder has it already."""
    run = await repository.lock_run(session, run_id)
    if run is not None and run.lease_holder == holder:
        run.lease_holder, run.lease_expires_at = None, None
