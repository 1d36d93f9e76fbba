"""How many processes hold the connections, by the limit on file descriptors that is really there."""

import math
import resource

USABLE_SHARE = 0.9
OWN_DESCRIPTORS = 64
"""What a process opens beside connections: standard streams, the page, epoll."""

MOST_PROCESSES = 1024


def descriptor_limit() -> int | None:
    """Of a process that this one starts; ``None``: unlimited."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if hard == resource.RLIM_INFINITY else hard


def connections_a_process(limit: int | None) -> int | None:
    """How many fit into a process; ``None``: any number."""
    return None if limit is None else max(0, int(limit * USABLE_SHARE) - OWN_DESCRIPTORS)


def processes_for(connections: int, limit: int | None) -> int | None:
    """``None`` where no reasonable number of processes is enough."""
    fit = connections_a_process(limit)
    if fit is None:
        return 1
    processes = math.ceil(connections / fit) if fit else MOST_PROCESSES + 1
    return processes if processes <= MOST_PROCESSES else None
