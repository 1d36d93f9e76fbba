"""The quantities that this template uses, and what follows from the form for nginx."""

import math

from ngxlab.analysis.metrics import keyed_metric
from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.evidence import Evidence, metric
from ngxlab.templates.form import numbers

FACTOR = "connections"
_SETTLING_S = 2.0
"""Time after the last connection should be open."""
_LEAST_HELD = 0.99

_USABLE_SHARE = 0.9
_SPARE = 1.15
"""nginx closes idle connections above 15/16 of worker_connections, and the kernel's spread is a little uneven."""
_OTHERS = 200
"""Listeners, channels, the status page, and the uneven spread of few connections."""

HELD = metric("connections_held")
RSS = metric("worker_rss_bytes")
MEMORY = metric("memory_available_drop_bytes")
SLAB = metric("slab_growth_bytes")
KERNEL = metric("kernel_memory_growth_bytes")
CPU = metric("nginx_cpu_percent")
RECONNECTS = keyed_metric("generator_reconnects", "Reopened", "connections", "reopened", group="nginx")
REQUESTS = keyed_metric("requests_since_start", "Requests since the start", "requests", "requests", group="nginx")
OWN = {
    one.info.key: one
    for one in (
        REQUESTS,
        keyed_metric("connections_accepted", "Connections accepted", "connections", "accepted", group="nginx"),
        keyed_metric(
            "worker_rss_bytes_per_connection", "Workers' memory / held", "bytes", "workers' memory", group="nginx"
        ),
        keyed_metric("memory_bytes_per_connection", "Memory taken / held", "bytes", "memory taken", group="host"),
    )
}


def most_connections(values: dict[str, LevelValue]) -> int:
    return max(int(count) for count in numbers(values["connections"]))


def connecting_s(values: dict[str, LevelValue]) -> float:
    """The least time in which the largest arm can open all its connections."""
    rate = float(values["connect_per_s"]) * int(values["generators"])
    return round(most_connections(values) / rate + _SETTLING_S, 1)


def planned(evidence: Evidence, arm: ArmAnalysis) -> int:
    return int(evidence.variables(arm).get(FACTOR, 0))


def lost_many(evidence: Evidence, arm: ArmAnalysis) -> bool:
    """Whether a trial held so much less than planned that its memory does not belong to the planned number."""
    least = _LEAST_HELD * planned(evidence, arm)
    return any(value.value < least for value in evidence.measured(arm, HELD).values)


def both_ends_here(evidence: Evidence) -> bool:
    """Whether the target also had the generators' ends of all connections in some trial."""
    hosts = [host for arm in evidence.arms for trial in evidence.usable(arm) for host in trial.hosts]
    return any("target" in host.roles and "generator" in host.roles for host in hosts)


def workers_for(connections: int, descriptors: int) -> int:
    return max(1, math.ceil(connections * _SPARE / (descriptors * _USABLE_SHARE)))


def worker_connections(connections: int, descriptors: int) -> int:
    """worker_connections of each worker."""
    return min(descriptors, math.ceil(connections * _SPARE / workers_for(connections, descriptors)) + _OTHERS)
