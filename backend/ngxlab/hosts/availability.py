"""Why a host takes no new run. Pure, so that the hosts list, the queue and a run's start say the same."""

import typing
from datetime import datetime

from ngxlab_contracts.protocol import CURRENT, Protocol
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
        return "was removed"
    if is_online(host.heartbeat_at, now):
        return None
    if host.heartbeat_at is None:
        return "is offline: its agent has not reported yet"
    return f"is offline since {host.heartbeat_at:%Y-%m-%d %H:%M:%S} UTC"


def trouble(host: HostFacts) -> str | None:
    """Why an agent that answers cannot be used, as what follows the host's name; ``None`` if it can."""
    return host.conflict or skew(host.agent_version, host.protocol)


def deafness(host: HostFacts) -> str | None:
    """Why an agent that answers hears of no trial, as what follows the host's name; ``None`` if it does."""
    if host.broker_trouble is None or host.broker_trouble_since is None:
        return None
    return f"cannot reach Redis since {host.broker_trouble_since:%Y-%m-%d %H:%M:%S} UTC ({host.broker_trouble})"


def hindrance(host: HostFacts) -> str | None:
    """Why an agent that answers cannot begin a trial at the moment, as what follows the host's name."""
    if host.disk_trouble is not None:
        return f"has no room on its disk for a trial ({host.disk_trouble})"
    return deafness(host)


def refusal(host: HostFacts, now: datetime) -> str | None:
    """Why a host takes no new run now, as what follows the host's name; ``None`` if it does."""
    return (
        absence(host, now)
        or trouble(host)
        or hindrance(host)
        or ("is draining and accepts no new run" if host.draining else None)
    )


def skew(agent_version: str, protocol: str) -> str | None:
    """Why an agent takes no run at all, as what follows its host's name; ``None`` if it may."""
    spoken = Protocol.parse(protocol)
    if CURRENT.understands(spoken):
        return None
    older = "the server" if spoken > CURRENT else "the host"
    return f"needs an upgrade of {older}: {_versions(agent_version, protocol)}"


def is_older(protocol: str) -> bool:
    """Whether an agent speaks an older version than this server."""
    return Protocol.parse(protocol) < CURRENT


def age(agent_version: str, protocol: str) -> str | None:
    """That an agent is older than this server, though they understand each other; ``None`` if it is not."""
    if Protocol.parse(protocol) == CURRENT:
        return None
    return f"Upgrade the agent when it suits you: {_versions(agent_version, protocol)}."


def require(host: Host, requires: str, protocol: str | None = None) -> None:
    """Raises Conflict naming both versions if a host's agent is too old for what requires a version.

    ``protocol``: what the agent says now, where it says so.
    """
    spoken = protocol or host.protocol
    if not Protocol.parse(spoken).understands(Protocol.parse(requires)):
        what = f"needs an upgrade for this, which needs protocol {requires}"
        raise Conflict(f"{host.name} {what}: {_versions(host.agent_version, spoken)}.", code="protocol-skew")


def _versions(agent_version: str, protocol: str) -> str:
    agent = f"its agent is version {agent_version} (protocol {protocol})"
    return f"{agent}, this server is version {VERSION} (protocol {CURRENT})"
