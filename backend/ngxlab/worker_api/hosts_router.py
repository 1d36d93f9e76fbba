"""/agent: how a host joins and sends heartbeats."""

from typing import Any

from fastapi import APIRouter, Depends, Request
from ngxlab_contracts.hosts import EnrolRequest, EnrolResponse, Heartbeat, HeartbeatReply
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.acts import Act
from ngxlab.audit.record import Actor, Object, record
from ngxlab.core.access import PUBLIC_BODY_BYTES, GuardedRoute, public
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Gone, NotFound, responses
from ngxlab.hosts import service
from ngxlab.hosts.models import Host
from ngxlab.runs.watch import lost_trials
from ngxlab.worker_api.access import HostCaller

router = APIRouter(route_class=GuardedRoute, prefix="/agent", tags=["agent"])


@router.post(
    "/enrol",
    dependencies=[Depends(public)],
    responses=responses(NotFound, Gone, Conflict),
    max_body_size=PUBLIC_BODY_BYTES,
)
async def enrol(body: EnrolRequest, request: Request, session: SessionDep) -> EnrolResponse:
    """Enrol a host. The one-time token is the only credential that this needs."""
    joined = await service.enrol(session, request.app.state.settings, body)
    on = Object("host", joined.host_id, body.name)
    caps = body.inventory.caps.model_dump(mode="json")
    await record(session, Actor("host", body.name, joined.host_id), Act.host_enrolled, on, caps=caps)
    return joined


@router.post("/heartbeat")
async def heartbeat(body: Heartbeat, session: SessionDep, host: HostCaller) -> HeartbeatReply:
    """Record that an agent is alive. Trials of its earlier instance whose data it does not hold are marked lost."""
    caps = host.inventory.get("caps")
    reply = service.note_heartbeat(host, body)
    if caps != (changed := host.inventory.get("caps")):
        await _record_caps(session, host, changed)
    await lost_trials.after_restart(session, host, body)
    return reply


async def _record_caps(session: AsyncSession, host: Host, caps: dict[str, Any] | None) -> None:
    """What the host's owner allows has changed."""
    on = Object("host", host.id, host.name)
    await record(session, Actor("host", host.name, host.id), Act.host_caps_changed, on, caps=caps)
