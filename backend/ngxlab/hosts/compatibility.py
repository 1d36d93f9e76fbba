"""Whether this server and a host's agent understand each other; if not, which of the two must be upgraded."""

from ngxlab_contracts.protocol import CURRENT, Protocol
from ngxlab_contracts.version import VERSION

from ngxlab.core.errors import Conflict
from ngxlab.hosts.models import Host


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
