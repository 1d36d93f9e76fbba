"""/agent: how a host joins and sends heartbeats."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse
from ngxlab_contracts.base import opened
from ngxlab_contracts.hosts import EnrolRequest, EnrolResponse, Greeting, Heartbeat, HeartbeatReply
from ngxlab_contracts.protocol import CURRENT, Protocol, wire_form
from pydantic import ValidationError, WrapValidator
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.client import client_of
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Actor, Object, record
from ngxlab.core.access import PUBLIC_BODY_BYTES, GuardedRoute, bearer_token, public
from ngxlab.core.bus import Bus
from ngxlab.core.clock import now_us
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.errors import Conflict, Gone, NotFound, responses
from ngxlab.hosts import broker_users, service
from ngxlab.hosts.models import Host
from ngxlab.runs.watch import lost_trials, returned_trials
from ngxlab.runs.watch.usual_heartbeat import Arrived, UsualHeartbeats
from ngxlab.worker_api.access import KnownCredential, require_host

_COLLECT_S = 5.0
_COLLECTING_AGENT = Protocol(1, 5)

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
    await record(session, _actor(host), Act.host_enrolled, _object(host), caps=caps)
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
    database: Database = request.app.state.database
    credential, address = bearer_token(request) or "", client_of(request).address
    heartbeats: UsualHeartbeats = request.app.state.usual_heartbeats
    usual = await heartbeats.take(Arrived(credential, body, address)) if isinstance(body, Heartbeat) else None
    if usual is not None:
        request.app.state.known_credentials.note(hashed)
    else:
        async with heartbeats.others, database.transaction() as session:
            await _take(session, await require_host(request, session), body, request)
    collect_s = _collect_s(database.bus, usual.run_id, body) if usual is not None else 0
    return JSONResponse(wire_form(HeartbeatReply(received_at_us=received_us, sent_at_us=now_us(), collect_s=collect_s)))


def _collect_s(bus: Bus, run_id: UUID | None, beat: Heartbeat | Greeting) -> float:
    """For how long readings may wait on their host: while nobody watches their run, one batch does for several."""
    understands = beat.agent is not None and Protocol.parse(beat.agent.protocol).understands(_COLLECTING_AGENT)
    return _COLLECT_S if understands and run_id is not None and not bus.is_watched(run_id) else 0


async def _take(session: AsyncSession, host: Host, beat: Heartbeat | Greeting, request: Request) -> None:
    """Any heartbeat, with all that may follow of it."""
    address = client_of(request).address
    if isinstance(beat, Greeting):
        service.note_agent(host, beat.agent_instance, beat.agent, address)
        return
    caps = host.inventory.get("caps")
    service.note_heartbeat(host, beat, address)
    if caps != (changed := host.inventory.get("caps")):
        await _record_caps(session, host, changed)
    broker_users.admit(session, host, bearer_token(request) or "")  # a host that was enrolled by an older version
    if host.conflict is None:
        await lost_trials.after_restart(session, host, beat)
        await returned_trials.after_silence(session, host, [*filter(None, [beat.active_trial]), *beat.spooled_trials])


async def _record_caps(session: AsyncSession, host: Host, caps: dict[str, Any] | None) -> None:
    """What the host's owner allows has changed."""
    await record(session, _actor(host), Act.host_caps_changed, _object(host), caps=caps)


def _actor(host: Host) -> Actor:
    return Actor("host", host.name, host.id)


def _object(host: Host) -> Object:
    return Object("host", host.id, host.name)
