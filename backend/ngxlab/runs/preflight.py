"""What a host must have before a run may start on it: refused with the reason and the largest value that fits."""

from ngxlab_contracts.hosts import Inventory

from ngxlab.errors import Conflict
from ngxlab.experiments.definition import Definition
from ngxlab.experiments.resolve import resolve
from ngxlab.hosts.models import Host

_RESERVED_DESCRIPTORS = 64
"""What wrk and nginx open beside connections: libraries, logs, epoll, listeners, channels."""
_USABLE_SHARE = 0.9


def refuse_if_impossible(definition: Definition, host: Host, inventory: Inventory) -> None:
    """Raises Conflict naming what is missing on the host."""
    if host.draining:
        raise Conflict(f"{host.name} is draining and takes no new run.", code="host-draining")
    if not inventory.nginx:
        raise Conflict(f"{host.name} has no nginx. Install it there; the agent finds it.", code="no-nginx")
    if inventory.wrk is None:
        raise Conflict(f"{host.name} has no wrk. Install it there; the agent finds it.", code="no-wrk")
    _refuse_beyond_descriptors(definition, host, inventory)


def _refuse_beyond_descriptors(definition: Definition, host: Host, inventory: Inventory) -> None:
    """DOMAIN 5, check 8: a process must not need more than 90 % of the descriptors it may open."""
    limit = inventory.limits.get("nofile_hard", "")
    if not limit.isdigit():
        return  # unlimited, or unknown: the agent meets the limit and says so
    fits = int(int(limit) * _USABLE_SHARE) - _RESERVED_DESCRIPTORS
    arms = [resolve(definition, arm) for arm in definition.arms]
    for stream in (stream for arm in arms for stream in arm.streams):
        if stream.connections > fits:
            raise Conflict(
                f"{stream.connections} connections need more than 90 % of the {limit} file descriptors a process on "
                f"{host.name} may open. At most {fits} connections fit.",
                code="too-many-connections",
            )
    for arm in arms:
        reachable = arm.worker_connections * 15 // 16
        if max(stream.connections for stream in arm.streams) > reachable:
            raise Conflict(
                f"{arm.arm.label}: with worker_connections {arm.worker_connections} nginx closes idle connections "
                f"beyond {reachable} a worker, and one worker may get them all. Raise worker_connections.",
                code="too-few-worker-connections",
            )
