"""/agent: how a host joins and sends heartbeats."""

from fastapi import APIRouter, Depends, Request
from ngxlab_contracts.hosts import EnrolRequest, EnrolResponse, Heartbeat, HeartbeatReply

from ngxlab.core.access import PUBLIC_BODY_BYTES, GuardedRoute, bearer_token, public
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Gone, NotFound, responses
from ngxlab.hosts import broker_users, service
from ngxlab.runs.watch import lost_trials, returned_trials
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
    return await service.enrol(session, request.app.state.settings, body)


@router.post("/heartbeat")
async def heartbeat(body: Heartbeat, request: Request, session: SessionDep, host: HostCaller) -> HeartbeatReply:
    """Record that an agent is alive. Trials of its earlier instance whose data it does not hold are marked lost, and
    lost ones whose data it does hold go on."""
    reply = service.note_heartbeat(host, body)
    broker_users.admit(session, host, bearer_token(request) or "")  # a host that was enrolled by an older version
    await lost_trials.after_restart(session, host, body)
    await returned_trials.after_silence(session, host, [*filter(None, [body.active_trial]), *body.spooled_trials])
    return reply
