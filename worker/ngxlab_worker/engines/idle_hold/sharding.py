"""How many processes hold the connections, given the limit on file descriptors."""

import math
import resource

USABLE_SHARE = 0.9
OWN_DESCRIPTORS = 64
"""What a process opens besides connections: standard streams, the page, epoll."""

MOST_PROCESSES = 1024


def descriptor_limit() -> int | None:
    """The limit of a process that this one starts; ``None``: unlimited."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if hard == resource.RLIM_INFINITY else hard


def connections_a_process(limit: int | None) -> int | None:
    """How many connections a process may hold; ``None``: any number."""
    return None if limit is None else max(0, int(limit * USABLE_SHARE) - OWN_DESCRIPTORS)


def processes_for(connections: int, limit: int | None) -> int | None:
    """How many processes are needed; ``None`` where even 1024 are not enough."""
    fit = connections_a_process(limit)
    if fit is None:
        return 1
    processes = math.ceil(connections / fit) if fit else MOST_PROCESSES + 1
    return processes if processes <= MOST_PROCESSES else None
