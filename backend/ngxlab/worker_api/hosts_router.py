"""/agent: how a machine becomes a host, says that it is alive, tests configurations, and leaves."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Request, Response, status
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse
from ngxlab_contracts.base import opened
from ngxlab_contracts.config_test import ConfigTestResult, ConfigTestSpec
from ngxlab_contracts.hosts import (
    EnrolCheck,
    EnrolOutlook,
    EnrolRequest,
    EnrolResponse,
    Greeting,
    Heartbeat,
    HeartbeatReply,
    HostStanding,
)
from ngxlab_contracts.protocol import CURRENT, Protocol, wire_form
from pydantic import ValidationError, WrapValidator

from ngxlab.accounts.client import client_of
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import PUBLIC_BODY_BYTES, GuardedRoute, bearer_token, public
from ngxlab.core.clock import now_us
from ngxlab.core.config import Settings
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.errors import Conflict, Gone, NotFound, responses
from ngxlab.experiments import config_tests
from ngxlab.hosts import joining, service
from ngxlab.worker_api.access import HostCaller, KnownCredential
from ngxlab.worker_api.heartbeats import Heartbeats, actor_of, object_of

_COLLECT_S = 5.0
"""For how long readings may wait on their host: while nobody watches their run, one batch does for several."""

router = APIRouter(route_class=GuardedRoute, prefix="/agent", tags=["agent"])


@router.post(
    "/enrol",
    dependencies=[Depends(public)],
    responses=responses(NotFound, Gone, Conflict),
    max_body_size=PUBLIC_BODY_BYTES,
)
async def enrol(
    body: Annotated[EnrolRequest, opened(EnrolRequest)], request: Request, session: SessionDep
) -> EnrolResponse:
    """Enrol a host. The one-time token is the only credential that this needs."""
    joined = await service.enrol(session, request.app.state.settings, body)
    host = await service.get_registered(session, joined.host_id)
    caps = body.inventory.caps.model_dump(mode="json")
    await record(session, actor_of(host), Act.host_enrolled, object_of(host), caps=caps)
    return joined


def _heartbeat(value: object) -> Heartbeat | Greeting:
    """A heartbeat, or of one that only a newer server would understand its :class:`Greeting`."""
    try:
        return Heartbeat.model_validate(value, extra="ignore")
    except ValidationError:
        greeting = _greeting(value)
        if greeting is None or CURRENT.understands(Protocol.parse(greeting.agent.protocol)):
            raise
        return greeting


def _greeting(value: object) -> Greeting | None:
    try:
        return Greeting.model_validate(value, extra="ignore")
    except ValidationError:
        return None


@router.post("/heartbeat", response_model=HeartbeatReply)
async def heartbeat(
    body: Annotated[Heartbeat, WrapValidator(lambda value, _: _heartbeat(value))],
    request: Request,
    hashed: KnownCredential,
) -> JSONResponse:
    """Record that an agent is alive. Trials of its earlier instance whose data it does not hold are marked lost, and
    lost ones whose data it does hold go on.

    The answer has the backend's receive and send times for the agent's estimate of its clock."""
    received_us = now_us()
    state = request.app.state
    heartbeats: Heartbeats = state.heartbeats
    database: Database = state.database
    run_id = await heartbeats.take(bearer_token(request) or "", body, client_of(request).address)
    state.known_credentials.note(hashed)
    unwatched = run_id is not None and not database.bus.is_watched(run_id)
    reply = HeartbeatReply(received_at_us=received_us, sent_at_us=now_us(), collect_s=_COLLECT_S if unwatched else 0)
    return JSONResponse(wire_form(reply))


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


@router.get("/bundles/{sha256}.tar.gz", dependencies=[Depends(public)], response_class=Archive)
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
    await record(session, actor_of(host), Act.host_removed, object_of(host))


def _bundle(settings: Settings) -> joining.AgentBundle:
    if (found := joining.bundle(settings)) is None:
        raise NotFound("This server has no agent to give away: run `make setup` on it, or build its image again.")
    return found


@router.get("/config-tests/{test_id:uuid}", response_model=ConfigTestSpec)
async def claim_config_test(test_id: UUID, session: SessionDep, host: HostCaller) -> JSONResponse:
    """The configurations that this host must test."""
    return JSONResponse(wire_form(await config_tests.request_of(session, host, test_id)))


@router.post("/config-tests/{test_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def post_config_test(
    test_id: UUID, body: Annotated[ConfigTestResult, opened(ConfigTestResult)], session: SessionDep, host: HostCaller
) -> None:
    """Post the result of this host's nginx; repeating it is harmless."""
    await config_tests.accept(session, host, test_id, body)
