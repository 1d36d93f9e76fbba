"""How many workers it takes, and with how many connections each, by the descriptors a process may open."""

import math

_USABLE_SHARE = 0.9
_SPARE = 1.15
"""nginx closes idle connections beyond 15/16 of worker_connections, and the kernel spreads them a little unevenly."""
_OTHERS = 200
"""Listeners, channels, the status page, and the scatter of few connections."""


def workers_for(connections: int, descriptors: int) -> int:
    return max(1, math.ceil(connections * _SPARE / (descriptors * _USABLE_SHARE)))


def worker_connections(connections: int, descriptors: int) -> int:
    """Of each worker."""
    return min(descriptors, math.ceil(connections * _SPARE / workers_for(connections, descriptors)) + _OTHERS)
