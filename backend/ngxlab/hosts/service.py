"""Enrolment, heartbeats and the state of hosts.

Which agents used a host's credential lately is kept, so that a copied one is noticed. Each start of an agent makes a
new instance. After a restart, a reboot or an upgrade the new one follows the old one for good; an old one that is heard
again, while the new one still speaks, is a second agent with the same credential.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from uuid import UUID, uuid4

from ngxlab_contracts.hosts import (
    AgentIdentity,
    BrokerTrouble,
    EnrolCheck,
    EnrolOutlook,
    EnrolRequest,
    EnrolResponse,
    Heartbeat,
    HostStanding,
    NginxBinary,
)
from ngxlab_contracts.sentences import say
from pydantic import AwareDatetime, BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import secrets, teams
from ngxlab.accounts.access import Caller
from ngxlab.accounts.schemas import TeamName
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.errors import Conflict, Gone, NotFound
from ngxlab.core.stored_json import read_or_none
from ngxlab.definition.builds import name_of, names
from ngxlab.hosts import availability, broker_users, joining, repository
from ngxlab.hosts.models import EnrolmentToken, Host, inventory_or_none
from ngxlab.hosts.schemas import EnrolmentTokenCreated, HostDetail, HostNginx, HostState, HostSummary

LATELY = timedelta(seconds=30)
_RETURNS = 2
"""How often the old one must be heard again. Once may be a heartbeat that was long on its way."""


class Sighting(BaseModel):
    """An agent as its heartbeats show it. ``returns``: how often it was heard again after another one."""

    instance: UUID
    hostname: str
    machine: str
    address: str
    since: AwareDatetime
    heard_at: AwareDatetime
    returns: int = 0


def with_sighting(known: Iterable[Sighting], new: Sighting) -> list[Sighting]:
    """The agents heard lately, the newest last. ``new``: who is heard now."""
    recent = [one for one in known if new.heard_at - one.heard_at < LATELY]
    before = next((one for one in recent if one.instance == new.instance), None)
    if before is None:
        return [*recent, new]
    returned = recent[-1].instance != new.instance
    heard = before.model_copy(
        update={"heard_at": new.heard_at, "address": new.address, "returns": before.returns + returned}
    )
    return [*(one for one in recent if one is not before), heard]


def conflict(recent: Iterable[Sighting]) -> str | None:
    """That two agents speak at once, as what follows the host's name; ``None`` if only one does."""
    returning = [one for one in recent if one.returns > 0]
    if len(returning) < 2 or max(one.returns for one in returning) < _RETURNS:
        return None
    told = [f"{one.hostname} ({one.address}, since {one.since:%Y-%m-%d %H:%M:%S} UTC)" for one in returning]
    where = _where({one.machine for one in returning})
    both = " and ".join(sorted(told))
    return f"has {len(told)} agents with one credential{where}: {both}. Stop all but one, or renew the credential"


def _where(machines: set[str]) -> str:
    if "" in machines:
        return ""
    return " on one machine" if len(machines) == 1 else " on different machines"


async def create_enrolment_token(
    session: AsyncSession, settings: Settings, minutes: int, created_by: UUID | None
) -> EnrolmentTokenCreated:
    return await _new_token(session, settings, minutes, created_by, None)


async def renew_credential(
    session: AsyncSession, settings: Settings, host_id: UUID, minutes: int, created_by: UUID
) -> EnrolmentTokenCreated:
    """Revoke a host's credential at once, and create the token with which its machine gets a new one."""
    host = await get_registered(session, host_id)
    host.credential_hash = f"revoked:{uuid4()}"
    host.heartbeat_at, host.sightings, host.conflict = None, [], None
    return await _new_token(session, settings, minutes, created_by, host.id)


async def _new_token(
    session: AsyncSession, settings: Settings, minutes: int, created_by: UUID | None, renewed: UUID | None
) -> EnrolmentTokenCreated:
    token = secrets.new_token(secrets.ENROLMENT_PREFIX)
    expires_at = utcnow() + timedelta(minutes=minutes)
    stored = EnrolmentToken(token_hash=secrets.token_hash(token), created_by=created_by, expires_at=expires_at)
    stored.host_id = renewed
    session.add(stored)
    return EnrolmentTokenCreated(token=token, command=joining.command(settings, token), expires_at=expires_at)


async def enrol(session: AsyncSession, settings: Settings, request: EnrolRequest) -> EnrolResponse:
    """Exchange a one-time token for a host's own credential.

    A token that renews a host's credential leaves the host its name. A machine that joins by the name that it had, and
    has not been heard of, is the host that it was: it was set up anew, or its server from a backup. Raises Gone for a
    used or expired token, NotFound for an unknown one, Conflict for a taken name and for an agent that this server does
    not understand.
    """
    token = await _usable_token(session, request.token)
    if reason := availability.skew(request.agent.version, request.agent.protocol):
        raise Conflict("{host} {reason}.", host=request.name, reason=reason, code="protocol-skew")
    if token.host_id is not None:
        host = await get_registered(session, token.host_id)
    elif (named := await repository.host_by_name(session, request.name)) is not None:
        host = _same_machine(named, request.agent.machine)
    else:
        host = Host(id=uuid4(), name=request.name, created_by=token.created_by)
        session.add(host)
    credential = secrets.new_token(secrets.HOST_PREFIX)
    host.credential_hash, host.sightings, host.conflict = secrets.token_hash(credential), [], None
    host.inventory, host.inventory_at = request.inventory.model_dump(mode="json"), utcnow()
    host.agent_version, host.protocol = request.agent.version, request.agent.protocol
    await session.flush()
    broker_users.admit(session, host, credential)
    token.used_at, token.host_id = utcnow(), host.id
    return EnrolResponse(host_id=host.id, credential=credential, broker_url=settings.broker_url_for_agents)


async def may_enrol(session: AsyncSession, settings: Settings, request: EnrolCheck) -> EnrolOutlook:
    """What :func:`enrol` will need, without using the token up. Raises as it does."""
    token = await _usable_token(session, request.token)
    named = await repository.host_by_name(session, request.name)
    if token.host_id is None and named is not None:
        _same_machine(named, request.machine)
    return EnrolOutlook(broker_url=settings.broker_url_for_agents)


async def _usable_token(session: AsyncSession, text: str) -> EnrolmentToken:
    token = await repository.lock_enrolment_token(session, secrets.token_hash(text))
    if token is None:
        raise NotFound("This enrolment token is unknown. Create a new one on the Hosts page.", code="unknown-token")
    if token.used_at is not None or token.expires_at <= utcnow():
        raise Gone("This enrolment token was used or has expired. Create a new one on the Hosts page.")
    return token


def _same_machine(host: Host, machine: str) -> Host:
    """Raises Conflict where the host is another machine, may be one, or still speaks."""
    machines = {one.machine for one in _sightings(host)} - {""}
    is_silent = host.heartbeat_at is not None and utcnow() - host.heartbeat_at > LATELY
    if not is_silent or machines != {machine}:
        raise Conflict(
            "A host named {host} exists. Choose another name or remove it.", host=host.name, code="name-taken"
        )
    return host


def note_agent(host: Host, instance: UUID, identity: AgentIdentity, address: str) -> None:
    """Record which agent speaks for a host, and from where."""
    now = utcnow()
    host.heartbeat_at, host.agent_instance = now, instance
    host.agent_version, host.protocol = identity.version, identity.protocol
    seen = Sighting(
        instance=instance,
        hostname=identity.hostname,
        machine=identity.machine,
        address=address,
        since=now,
        heard_at=now,
    )
    recent = with_sighting(_sightings(host), seen)
    host.sightings, host.conflict = [one.model_dump(mode="json") for one in recent], conflict(recent)


def _sightings(host: Host) -> list[Sighting]:
    known = (read_or_none(Sighting, one, f"A sighting of {host.name}") for one in host.sightings)
    return [one for one in known if one is not None]


def note_heartbeat(host: Host, beat: Heartbeat, address: str) -> None:
    """Record a heartbeat."""
    note_agent(host, beat.agent_instance, beat.agent, address)
    host.clock_offset_us, host.clock_rtt_us = beat.clock_offset_us, beat.clock_rtt_us
    host.active_trial_id = beat.active_trial
    _note_broker(host, beat.broker_trouble)
    host.disk_trouble = beat.disk_trouble
    if beat.inventory is not None:
        host.inventory, host.inventory_at = beat.inventory.model_dump(mode="json"), utcnow()


def _note_broker(host: Host, told: BrokerTrouble | None) -> None:
    if told is None:
        host.broker_trouble = host.broker_trouble_since = None
        return
    if host.broker_trouble is None:
        host.broker_trouble_since = utcnow() - timedelta(seconds=told.for_s)
    host.broker_trouble = told.reason


async def get_registered(session: AsyncSession, host_id: UUID) -> Host:
    host = await repository.host_by_id(session, host_id)
    if host is None or host.removed_at is not None:
        raise NotFound("There is no such host.")
    return host


async def usable(session: AsyncSession, caller: Caller, host_id: UUID) -> Host:
    """Raises NotFound, and Forbidden for a host of a team that the caller is not in."""
    host = await get_registered(session, host_id)
    await require_may_use(session, caller, host)
    return host


async def require_may_use(session: AsyncSession, caller: Caller, host: Host) -> None:
    """Raises Forbidden for a host of a team that the caller is not in."""
    await teams.require_member(session, caller, host.team_id, say("Host {host}", host=host.name))


async def remove(session: AsyncSession, host_id: UUID) -> Host:
    """Revoke a host's credential. Refused while a run holds it."""
    host = await get_registered(session, host_id)
    if host.id in await repository.leases(session):
        raise Conflict("A run is using this host. Wait for its end or cancel it first.", code="host-busy")
    host.removed_at = utcnow()
    host.credential_hash = f"revoked:{host.id}"
    broker_users.dismiss(session, host)
    return host


def state_of(host: Host, run_id: UUID | None) -> tuple[HostState, str]:
    """A state for the hosts list, and a sentence that explains it."""
    now = utcnow()
    if not repository.is_online(host.heartbeat_at, now):
        if host.heartbeat_at is None:
            return "offline", "Its agent has not reported yet."
        silent = f"No heartbeat for {(now - host.heartbeat_at).total_seconds():.0f} s."
        if skew := availability.skew(host.agent_version, host.protocol):  # why it is silent, as far as anybody knows
            return "upgrade", f"{silent} This host {skew}."
        return "offline", silent
    if host.conflict is not None:
        return "conflict", f"This host {host.conflict}."
    if skew := availability.skew(host.agent_version, host.protocol):
        return "upgrade", f"This host {skew}."
    if reason := availability.deafness(host):
        return "no-redis", f"This host {reason}. No trial reaches it until it does; runs wait for it."
    if reason := availability.hindrance(host):
        return "no-room", f"This host {reason}. Runs wait for it."
    if host.draining:
        return "draining", "Accepts no new run."
    if run_id is not None:
        return "busy", "A run is using it."
    return "idle", "Ready for a run."


def summary(host: Host, run_id: UUID | None, named: Mapping[UUID, TeamName]) -> HostSummary:
    """What the hosts list shows."""
    state, detail = state_of(host, run_id)
    inventory = inventory_or_none(host)
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
        team=named[host.team_id] if host.team_id is not None else None,
        run_id=run_id,
        active_trial_id=host.active_trial_id,
        cpu_logical=inventory.cpu.logical if inventory else None,
        memory_bytes=inventory.memory_bytes if inventory else None,
        os=inventory.os if inventory else None,
        nginx_versions=[binary.version for binary in inventory.nginx] if inventory else [],
        nginx=_nginx(inventory.nginx) if inventory else [],
        wrk_version=inventory.wrk.version if inventory and inventory.wrk else None,
        agent_version=host.agent_version,
        protocol=host.protocol,
        upgrade=availability.age(host.agent_version, host.protocol),
        created_at=host.created_at,
    )


def _nginx(registered: Sequence[NginxBinary]) -> list[HostNginx]:
    return [
        HostNginx(name=name_of(one, registered), path=one.path, version=one.version, names=names(one))
        for one in registered
    ]


async def summaries(session: AsyncSession) -> list[HostSummary]:
    held, found = await repository.leases(session), await repository.registered_hosts(session)
    named = await teams.names_of(session, [host.team_id for host in found])
    return [summary(host, held.get(host.id), named) for host in found]


async def standing(session: AsyncSession, settings: Settings, host: Host) -> HostStanding:
    """What a host's own agent may know of it."""
    held = await repository.leases(session)
    state, detail = state_of(host, held.get(host.id))
    offered = joining.bundle(settings)
    return HostStanding(
        host_id=host.id, name=host.name, state=state, detail=detail, bundle=offered.sha256 if offered else None
    )


async def detail(session: AsyncSession, settings: Settings, host_id: UUID) -> HostDetail:
    host = await get_registered(session, host_id)
    held = await repository.leases(session)
    inventory = inventory_or_none(host)
    base = summary(host, held.get(host.id), await teams.names_of(session, [host.team_id])).model_dump()
    older = availability.is_older(host.protocol)
    command = joining.upgrade_command(settings) if older else None
    return HostDetail(**base, inventory=inventory, inventory_at=host.inventory_at, upgrade_command=command)
