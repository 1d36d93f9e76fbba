"""/hosts."""

from uuid import UUID

from fastapi import APIRouter, Request, status

from ngxlab.accounts import teams
from ngxlab.accounts.access import Administrator, AdministratorConfirmed, Viewer
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.paging import Page, Paging
from ngxlab.hosts import joining, service
from ngxlab.hosts.joining import Joining
from ngxlab.hosts.schemas import (
    DrainRequest,
    EnrolmentTokenCreate,
    EnrolmentTokenCreated,
    HostDetail,
    HostSummary,
    HostTeam,
)

router = APIRouter(route_class=GuardedRoute, tags=["hosts"])


@router.get("/hosts")
async def list_hosts(session: SessionDep, _: Viewer, page: Paging) -> Page[HostSummary]:
    """All registered hosts."""
    return page.of(await service.summaries(session))


@router.get("/hosts/{host_id:uuid}")
async def get_host(host_id: UUID, request: Request, session: SessionDep, _: Viewer) -> HostDetail:
    """One host with its inventory."""
    return await service.detail(session, request.app.state.settings, host_id)


@router.get("/hosts/joining")
async def get_joining(request: Request, _: Administrator) -> Joining:
    """What another machine needs to become a host, and what stands in its way."""
    return joining.joining(request.app.state.settings)


@router.post("/hosts/enrolment-tokens", status_code=status.HTTP_201_CREATED)
async def create_enrolment_token(
    body: EnrolmentTokenCreate, request: Request, session: SessionDep, caller: AdministratorConfirmed
) -> EnrolmentTokenCreated:
    """Create a one-time token with which one new host may join."""
    settings = request.app.state.settings
    made = await service.create_enrolment_token(session, settings, body.expires_in_minutes, caller.account.id)
    await record(session, caller.actor, Act.enrolment_token_created, expires_in_minutes=body.expires_in_minutes)
    return made


@router.post("/hosts/{host_id:uuid}/drain")
async def drain_host(
    host_id: UUID, body: DrainRequest, request: Request, session: SessionDep, caller: Administrator
) -> HostDetail:
    """Stop giving new runs to a host, or start again."""
    host = await service.get_registered(session, host_id)
    host.draining = body.draining
    on = Object("host", host.id, host.name)
    await record(session, caller.actor, Act.host_draining_changed, on, draining=body.draining)
    return await service.detail(session, request.app.state.settings, host_id)


@router.put("/hosts/{host_id:uuid}/team")
async def give_host_to_team(
    host_id: UUID, body: HostTeam, request: Request, session: SessionDep, caller: AdministratorConfirmed
) -> HostDetail:
    """Let only the people of a team run on a host, or everybody again. Runs that wait for it go on."""
    host = await service.get_registered(session, host_id)
    team = await teams.name_of(session, body.team_id)
    host.team_id = body.team_id
    await record(
        session,
        caller.actor,
        Act.host_team_changed,
        Object("host", host.id, host.name),
        team=team.name if team else None,
    )
    return await service.detail(session, request.app.state.settings, host_id)


@router.post("/hosts/{host_id:uuid}/renew-credential", status_code=status.HTTP_201_CREATED)
async def renew_host_credential(
    host_id: UUID, body: EnrolmentTokenCreate, request: Request, session: SessionDep, caller: AdministratorConfirmed
) -> EnrolmentTokenCreated:
    """Revoke a host's credential immediately, and create a token with which its machine joins again as this host."""
    settings = request.app.state.settings
    host = await service.get_registered(session, host_id)
    made = await service.renew_credential(session, settings, host.id, body.expires_in_minutes, caller.account.id)
    on = Object("host", host.id, host.name)
    await record(session, caller.actor, Act.host_credential_renewed, on, expires_in_minutes=body.expires_in_minutes)
    return made


@router.delete("/hosts/{host_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def remove_host(host_id: UUID, session: SessionDep, caller: Administrator) -> None:
    """Remove a host: its credential is revoked immediately, its history stays."""
    host = await service.remove(session, host_id)
    await record(session, caller.actor, Act.host_removed, Object("host", host.id, host.name))
