"""Why a host takes no new run. Pure, so that the hosts list, the queue and a run's start say the same."""

import typing
from datetime import datetime

from ngxlab_contracts.protocol import CURRENT, Protocol
from ngxlab_contracts.sentences import say
from ngxlab_contracts.version import VERSION

from ngxlab.core.errors import Conflict
from ngxlab.hosts.models import Host
from ngxlab.hosts.repository import is_online


class HostFacts(typing.Protocol):
    """What decides it: a host, or these columns of one."""

    @property
    def heartbeat_at(self) -> datetime | None: ...
    @property
    def removed_at(self) -> datetime | None: ...
    @property
    def draining(self) -> bool: ...
    @property
    def agent_version(self) -> str: ...
    @property
    def protocol(self) -> str: ...
    @property
    def conflict(self) -> str | None: ...
    @property
    def broker_trouble(self) -> str | None: ...
    @property
    def broker_trouble_since(self) -> datetime | None: ...
    @property
    def disk_trouble(self) -> str | None: ...


def absence(host: HostFacts, now: datetime) -> str | None:
    """Why a host cannot take part in any trial now, as what follows the host's name; ``None`` if it can."""
    if host.removed_at is not None:
        return say("was removed")
    if is_online(host.heartbeat_at, now):
        return None
    if host.heartbeat_at is None:
        return say("is offline: its agent has not reported yet")
    return say("is offline since {time} UTC", time=f"{host.heartbeat_at:%Y-%m-%d %H:%M:%S}")


def trouble(host: HostFacts) -> str | None:
    """Why an agent that answers cannot be used, as what follows the host's name; ``None`` if it can."""
    return host.conflict or skew(host.agent_version, host.protocol)


def deafness(host: HostFacts) -> str | None:
    """Why an agent that answers hears of no trial, as what follows the host's name; ``None`` if it does."""
    if host.broker_trouble is None or host.broker_trouble_since is None:
        return None
    since = f"{host.broker_trouble_since:%Y-%m-%d %H:%M:%S}"
    return say("cannot reach Redis since {time} UTC ({reason})", time=since, reason=host.broker_trouble)


def hindrance(host: HostFacts) -> str | None:
    """Why an agent that answers cannot begin a trial at the moment, as what follows the host's name."""
    if host.disk_trouble is not None:
        return say("has no room on its disk for a trial ({reason})", reason=host.disk_trouble)
    return deafness(host)


def refusal(host: HostFacts, now: datetime) -> str | None:
    """Why a host takes no new run now, as what follows the host's name; ``None`` if it does."""
    return (
        absence(host, now)
        or trouble(host)
        or hindrance(host)
        or (say("is draining and accepts no new run") if host.draining else None)
    )


def skew(agent_version: str, protocol: str) -> str | None:
    """Why an agent takes no run at all, as what follows its host's name; ``None`` if it may."""
    spoken = Protocol.parse(protocol)
    if CURRENT.understands(spoken):
        return None
    versions = _versions(agent_version, protocol)
    if spoken > CURRENT:
        return say("needs an upgrade of the server: {versions}", versions=versions)
    return say("needs an upgrade of the host: {versions}", versions=versions)


def is_older(protocol: str) -> bool:
    """Whether an agent speaks an older version than this server."""
    return Protocol.parse(protocol) < CURRENT


def age(agent_version: str, protocol: str) -> str | None:
    """That an agent is older than this server, though they understand each other; ``None`` if it is not."""
    if Protocol.parse(protocol) == CURRENT:
        return None
    return say("Upgrade the agent when it suits you: {versions}.", versions=_versions(agent_version, protocol))


def require(host: Host, requires: str, protocol: str | None = None) -> None:
    """Raises Conflict naming both versions if a host's agent is too old for what requires a version.

    ``protocol``: what the agent says now, where it says so.
    """
    spoken = protocol or host.protocol
    if not Protocol.parse(spoken).understands(Protocol.parse(requires)):
        raise Conflict(
            "{host} needs an upgrade for this, which needs protocol {requires}: {versions}.",
            host=host.name,
            requires=requires,
            versions=_versions(host.agent_version, spoken),
            code="protocol-skew",
        )


def _versions(agent_version: str, protocol: str) -> str:
    return say(
        "its agent is version {agent} (protocol {spoken}), this server is version {server} (protocol {current})",
        agent=agent_version,
        spoken=protocol,
        server=VERSION,
        current=str(CURRENT),
    )


def unsandboxed(host: str, reason: str) -> Conflict:
    """The error for a host that cannot isolate nginx, whose owner does not allow it without."""
    return Conflict(
        "{host} cannot isolate nginx by namespaces, and its owner does not allow it without. ({reason}; "
        "allow_unsandboxed_nginx in caps.toml)",
        host=host,
        reason=reason,
        code="unsandboxed",
    )
