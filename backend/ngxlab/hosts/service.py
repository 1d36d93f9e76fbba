"""Enrolment, heartbeats and the state of hosts."""

from datetime import timedelta
from uuid import UUID, uuid4

from ngxlab_contracts.hosts import EnrolRequest, EnrolResponse, Heartbeat, HeartbeatReply, Inventory
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import secrets
from ngxlab.core.clock import now_us, utcnow
from ngxlab.core.config import Settings
from ngxlab.core.errors import Conflict, Gone, NotFound
from ngxlab.hosts import repository
from ngxlab.hosts.models import EnrolmentToken, Host
from ngxlab.hosts.schemas import EnrolmentTokenCreated, HostDetail, HostState, HostSummary


async def create_enrolment_token(
    session: AsyncSession, settings: Settings, minutes: int, created_by: UUID | None
) -> EnrolmentTokenCreated:
    token = secrets.new_token(secrets.ENROLMENT_PREFIX)
    expires_at = utcnow() + timedelta(minutes=minutes)
    session.add(EnrolmentToken(token_hash=secrets.token_hash(token), created_by=created_by, expires_at=expires_at))
    command = f"ngxlab host join {settings.public_url} {token}"
    return EnrolmentTokenCreated(token=token, command=command, expires_at=expires_at)


async def enrol(session: AsyncSession, settings: Settings, request: EnrolRequest) -> EnrolResponse:
    """Exchange a one-time token for a host's own credential.

    Raises Gone for a used or expired token, NotFound for an unknown one, Conflict for a taken name.
    """
    token = await repository.lock_enrolment_token(session, secrets.token_hash(request.token))
    if token is None:
        raise NotFound("This enrolment token is unknown. Create a new one on the Hosts page.", code="unknown-token")
    if token.used_at is not None or token.expires_at <= utcnow():
        raise Gone("This enrolment token was used or has expired. Create a new one on the Hosts page.")
    if await repository.host_by_name(session, request.name) is not None:
        raise Conflict(f"A host named {request.name} exists. Choose another --name or remove it.", code="name-taken")
    credential = secrets.new_token(secrets.HOST_PREFIX)
    host = Host(
        id=uuid4(),
        name=request.name,
        credential_hash=secrets.token_hash(credential),
        inventory=request.inventory.model_dump(mode="json"),
        created_by=token.created_by,
    )
    session.add(host)
    await session.flush()
    token.used_at, token.host_id = utcnow(), host.id
    return EnrolResponse(host_id=host.id, credential=credential, broker_url=settings.broker_url_for_agents)


def note_heartbeat(host: Host, beat: Heartbeat) -> HeartbeatReply:
    """Record a heartbeat. The answer has the backend's receive and send times for the agent's clock estimate."""
    received = now_us()
    host.heartbeat_at = utcnow()
    host.agent_instance = beat.agent_instance
    host.clock_offset_us, host.clock_rtt_us = beat.clock_offset_us, beat.clock_rtt_us
    host.active_trial_id = beat.active_trial
    if beat.inventory is not None:
        host.inventory, host.inventory_at = beat.inventory.model_dump(mode="json"), utcnow()
    return HeartbeatReply(received_at_us=received, sent_at_us=now_us())


async def get_registered(session: AsyncSession, host_id: UUID) -> Host:
    host = await repository.host_by_id(session, host_id)
    if host is None or host.removed_at is not None:
        raise NotFound("There is no such host.")
    return host


async def remove(session: AsyncSession, host_id: UUID) -> Host:
    """Revoke a host's credential. Refused while a run holds it."""
    host = await get_registered(session, host_id)
    if host.id in await repository.leases(session):
        raise Conflict("A run is using this host. Wait for its end or cancel it first.", code="host-busy")
    host.removed_at = utcnow()
    host.credential_hash = f"revoked:{host.id}"
    return host


def state_of(host: Host, run_id: UUID | None) -> tuple[HostState, str]:
    """A state for the hosts list, and a sentence that explains it."""
    now = utcnow()
    if not repository.is_online(host.heartbeat_at, now):
        if host.heartbeat_at is None:
            return "offline", "Its agent has not reported yet."
        return "offline", f"No heartbeat for {(now - host.heartbeat_at).total_seconds():.0f} s."
    if host.draining:
        return "draining", "Accepts no new run."
    if run_id is not None:
        return "busy", "A run is using it."
    return "idle", "Ready for a run."


def summary(host: Host, run_id: UUID | None) -> HostSummary:
    """What the hosts list shows."""
    state, detail = state_of(host, run_id)
    inventory = Inventory.model_validate(host.inventory)
    age = (utcnow() - host.heartbeat_at).total_seconds() if host.heartbeat_at else None
    return HostSummary(
        id=host.id,
        name=host.name,
        state=state,
        state_detail=detail,
        heartbeat_age_s=age,
        clock_offset_us=host.clock_offset_us,
        clock_rtt_us=host.clock_rtt_us,
        draining=host.draining,
        run_id=run_id,
        active_trial_id=host.active_trial_id,
        cpu_logical=inventory.cpu.logical,
        memory_bytes=inventory.memory_bytes,
        os=inventory.os,
        nginx_versions=[binary.version for binary in inventory.nginx],
        wrk_version=inventory.wrk.version if inventory.wrk else None,
        created_at=host.created_at,
    )


async def summaries(session: AsyncSession) -> list[HostSummary]:
    held = await repository.leases(session)
    return [summary(host, held.get(host.id)) for host in await repository.registered_hosts(session)]


async def detail(session: AsyncSession, host_id: UUID) -> HostDetail:
    host = await get_registered(session, host_id)
    held = await repository.leases(session)
    inventory = Inventory.model_validate(host.inventory)
    base = summary(host, held.get(host.id)).model_dump()
    return HostDetail(**base, inventory=inventory, inventory_at=host.inventory_at)
