"""Why a host takes no new run. Pure, so that the hosts list, the queue and a run's start say the same."""

from datetime import datetime
from typing import Protocol

from ngxlab.hosts.compatibility import skew
from ngxlab.hosts.repository import is_online


class HostFacts(Protocol):
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


def refusal(host: HostFacts, now: datetime) -> str | None:
    """Why a host takes no new run now, as what follows the host's name; ``None`` if it does."""
    return (
        absence(host, now)
        or trouble(host)
        or deafness(host)
        or ("is draining and accepts no new run" if host.draining else None)
    )
