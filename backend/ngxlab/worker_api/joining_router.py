"""/agent: what a machine fetches to become a host, and what a host may know and do about itself."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response, status
from fastapi.responses import FileResponse, PlainTextResponse
from ngxlab_contracts.base import opened
from ngxlab_contracts.hosts import EnrolCheck, EnrolOutlook, HostStanding

from ngxlab.audit.acts import Act
from ngxlab.audit.record import Actor, Object, record
from ngxlab.core.access import PUBLIC_BODY_BYTES, GuardedRoute, public
from ngxlab.core.config import Settings
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Gone, NotFound, responses
from ngxlab.hosts import joining, service
from ngxlab.worker_api.access import HostCaller

router = APIRouter(route_class=GuardedRoute, prefix="/agent", tags=["agent"])

_FOR_A_MINUTE = {"Cache-Control": "public, max-age=60"}
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


class ShellScript(PlainTextResponse):
    media_type = "text/x-shellscript"


class Archive(FileResponse):
    media_type = "application/gzip"


@router.get("/join.sh", dependencies=[Depends(public)], response_class=ShellScript, responses=responses(NotFound))
def get_join_script(request: Request) -> Response:
    """The shell script that installs the agent on a machine, with this server's address. It has no secret."""
    settings: Settings = request.app.state.settings
    return ShellScript(joining.script(settings, _bundle(settings)), headers=_FOR_A_MINUTE)


@router.get(
    "/bundles/{sha256}.tar.gz", dependencies=[Depends(public)], response_class=Archive, responses=responses(NotFound)
)
def get_agent_bundle(sha256: Annotated[str, Path(pattern="^[0-9a-f]{64}$")], request: Request) -> Response:
    """The agent that the script installs, by the hash that the script names."""
    settings: Settings = request.app.state.settings
    if sha256 != _bundle(settings).sha256 or settings.agent_bundle_dir is None:
        raise NotFound("This server has another agent by now. Fetch its script again.")
    return Archive(settings.agent_bundle_dir / "bundle.tar.gz", media_type="application/gzip", headers=_FOR_EVER)


@router.post(
    "/enrol/check",
    dependencies=[Depends(public)],
    responses=responses(NotFound, Gone, Conflict),
    max_body_size=PUBLIC_BODY_BYTES,
)
async def check_enrolment(
    body: Annotated[EnrolCheck, opened(EnrolCheck)], request: Request, session: SessionDep
) -> EnrolOutlook:
    """Whether a token will enrol a host, without using it up, and where Redis is, which the host must reach."""
    return await service.may_enrol(session, request.app.state.settings, body)


@router.get("/host")
async def get_own_host(request: Request, session: SessionDep, host: HostCaller) -> HostStanding:
    """How the server sees the calling host."""
    return await service.standing(session, request.app.state.settings, host)


@router.delete("/host", status_code=status.HTTP_204_NO_CONTENT, responses=responses(Conflict))
async def leave(session: SessionDep, host: HostCaller) -> None:
    """The calling host leaves: its credential is revoked immediately, its history stays."""
    await service.remove(session, host.id)
    on = Object("host", host.id, host.name)
    await record(session, Actor("host", host.name, host.id), Act.host_removed, on)


def _bundle(settings: Settings) -> joining.AgentBundle:
    if (found := joining.bundle(settings)) is None:
        raise NotFound("This server has no agent to give away: run `make setup` on it, or build its image again.")
    return found
