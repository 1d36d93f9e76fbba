"""/hosts."""

from uuid import UUID

from fastapi import APIRouter, Request, status

from ngxlab.accounts.access import Administrator, Viewer
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, NotFound, responses
from ngxlab.hosts import service
from ngxlab.hosts.schemas import DrainRequest, EnrolmentTokenCreate, EnrolmentTokenCreated, HostDetail, HostSummary

router = APIRouter(route_class=GuardedRoute, tags=["hosts"])


@router.get("/hosts")
async def list_hosts(session: SessionDep, _: Viewer) -> list[HostSummary]:
    """All registered hosts."""
    return await service.summaries(session)


@router.get("/hosts/{host_id:uuid}", responses=responses(NotFound))
async def get_host(host_id: UUID, session: SessionDep, _: Viewer) -> HostDetail:
    """One host with its inventory."""
    return await service.detail(session, host_id)


@router.post("/hosts/enrolment-tokens", status_code=status.HTTP_201_CREATED)
async def create_enrolment_token(
    body: EnrolmentTokenCreate, request: Request, session: SessionDep, caller: Administrator
) -> EnrolmentTokenCreated:
    """Create a one-time token with which one new host may join."""
    settings = request.app.state.settings
    return await service.create_enrolment_token(session, settings, body.expires_in_minutes, caller.account.id)


@router.post("/hosts/{host_id:uuid}/drain", responses=responses(NotFound))
async def drain_host(host_id: UUID, body: DrainRequest, session: SessionDep, _: Administrator) -> HostDetail:
    """Stop giving new runs to a host, or start again."""
    (await service.get_registered(session, host_id)).draining = body.draining
    return await service.detail(session, host_id)


@router.post(
    "/hosts/{host_id:uuid}/renew-credential", status_code=status.HTTP_201_CREATED, responses=responses(NotFound)
)
async def renew_host_credential(
    host_id: UUID, body: EnrolmentTokenCreate, request: Request, session: SessionDep, caller: Administrator
) -> EnrolmentTokenCreated:
    """Revoke a host's credential immediately, and create a token with which its machine joins again as this host."""
    settings = request.app.state.settings
    return await service.renew_credential(session, settings, host_id, body.expires_in_minutes, caller.account.id)


@router.delete("/hosts/{host_id:uuid}", status_code=status.HTTP_204_NO_CONTENT, responses=responses(NotFound, Conflict))
async def remove_host(host_id: UUID, session: SessionDep, _: Administrator) -> None:
    """Remove a host: its credential is revoked immediately, its history stays."""
    await service.remove(session, host_id)
