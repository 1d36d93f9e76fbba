"""How many workers are needed, and with how many connections each, for the descriptors that a process may open."""

import math

_USABLE_SHARE = 0.9
_SPARE = 1.15
"""nginx closes idle connections above 15/16 of worker_connections, and the kernel's spread is a little uneven."""
_OTHERS = 200
"""Listeners, channels, the status page, and the uneven spread of few connections."""


def workers_for(connections: int, descriptors: int) -> int:
    return max(1, math.ceil(connections * _SPARE / (descriptors * _USABLE_SHARE)))


def worker_connections(connections: int, descriptors: int) -> int:
    """worker_connections of each worker."""
    return min(descriptors, math.ceil(connections * _SPARE / workers_for(connections, descriptors)) + _OTHERS)
