"""Whether hosts have room for the connections: descriptors, ports, the connection-tracking table, memory.

A refusal names the largest number that fits, or the value to set. What only the host knows at that moment (available
memory, connections already tracked) is checked by its agent before it starts the load.
"""

import math
from collections.abc import Iterator, Sequence
from ipaddress import ip_address

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.streams import StreamSpec

from ngxlab.core.errors import Conflict
from ngxlab.definition.resolve import ResolvedArm
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.runs.preflight.assignment import Assigned

_RESERVED_DESCRIPTORS = 64
"""Descriptors that a generator and nginx need beside connections: libraries, logs, epoll, listeners, channels."""
_USABLE_SHARE = 0.9
_USABLE_PORTS = 0.5
_CONNTRACK_SHARE = 0.8
_MEMORY_SHARE = 0.8
_BYTES_AN_END = 5_000
"""Kernel memory of one end of a connection: 8.1 KB were measured for both; nginx and the holder need under 1.5 KB."""
_FREE_SHARE = 16
"""nginx closes idle connections once less than a sixteenth of worker_connections is free."""


def refuse_beyond_capacity(definition: Definition, assigned: Sequence[Assigned], arms: Sequence[ResolvedArm]) -> None:
    """Raises Conflict for the first limit that an arm exceeds (docs/checks.md, Decided before a run starts)."""
    target = next(entry for entry in assigned if entry.slot == TARGET_SLOT)
    for arm in arms:
        for entry in assigned:
            _refuse_beyond_descriptors(entry, _streams(definition, entry, arm))
            _refuse_beyond_ports(entry, arm, _streams(definition, entry, arm))
        _refuse_few_worker_connections(arm)
        _refuse_beyond_worker_descriptors(target, arm)
        for host in {entry.host.id: entry for entry in assigned}.values():
            ends = _ends(definition, assigned, host, arm)
            _refuse_beyond_conntrack(host, max(ends))
            _refuse_beyond_memory(host, sum(ends))


def _streams(definition: Definition, entry: Assigned, arm: ResolvedArm) -> list[StreamSpec]:
    """The streams that a slot generates in an arm."""
    slots = {stream.key: stream.slot for stream in definition.streams}
    return [stream for stream in arm.streams if slots[stream.key] == entry.slot]


def _refuse_beyond_descriptors(entry: Assigned, streams: Sequence[StreamSpec]) -> None:
    """Looks at each stream with a number of processes; an engine that decides for itself takes as many as it needs."""
    limit = _limit(entry, "nofile_hard")
    if limit is None:
        return  # unlimited, or unknown: then the agent hits the limit and reports it
    fits = int(limit * _USABLE_SHARE) - _RESERVED_DESCRIPTORS
    for stream in streams:
        processes = ENGINES[stream.engine].processes(stream.threads)
        if processes is not None and stream.connections > fits * processes:
            raise Conflict(
                f"Stream {stream.key}: {stream.connections} connections need more than 90 % of the {limit} file "
                f"descriptors that a process on {entry.host.name} may open. "
                f"At most {fits * processes} connections fit.",
                code="too-many-connections",
            )


def _refuse_beyond_ports(entry: Assigned, arm: ResolvedArm, streams: Sequence[StreamSpec]) -> None:
    """A connection is told from others by both addresses and both ports. An engine uses one address of its host, or
    all; on loopback there is any number."""
    ports = _port_range(entry)
    if ports is None:
        return
    usable = int(ports * _USABLE_PORTS)
    plain = sum(stream.connections for stream in streams if not ENGINES[stream.engine].uses_all_addresses)
    idle = sum(stream.connections for stream in streams if ENGINES[stream.engine].uses_all_addresses)
    if plain > usable:
        raise Conflict(
            f"{plain} connections need more than half of the {ports} local ports of {entry.host.name}. "
            f"At most {usable} connections fit.",
            code="too-many-connections",
        )
    own = _addresses(entry)
    room = usable * own * int(arm.nginx.ports)
    if idle > room and not ip_address(entry.address).is_loopback:
        raise Conflict(
            f"{idle} idle connections need more than half of the {ports} local ports of {entry.host.name}, from {own} "
            f"address{'es' if own > 1 else ''} to {arm.nginx.ports} port{'s' if int(arm.nginx.ports) > 1 else ''}. At "
            f"most {room} connections fit. Let nginx listen on more ports (nginx.ports), or give the host more "
            "addresses.",
            code="too-many-connections",
        )


def _refuse_few_worker_connections(arm: ResolvedArm) -> None:
    reachable = arm.worker_connections * (_FREE_SHARE - 1) // _FREE_SHARE
    needed = _nginx_connections(arm)
    if needed > reachable * arm.workers:
        counted = " (each has another one to an upstream server)" if _proxies(arm) else ""
        raise Conflict(
            f"{arm.arm.label}: with worker_connections {arm.worker_connections}, nginx closes idle connections "
            f"beyond {reachable} per worker, and the load needs {needed}{counted}. Raise worker_connections.",
            code="too-few-worker-connections",
        )


def _proxies(arm: ResolvedArm) -> bool:
    return bool(arm.upstream_servers)


def _nginx_connections(arm: ResolvedArm) -> int:
    """The most that nginx may have open: those of the clients, and where it proxies, one more for each of them."""
    clients = sum(stream.connections for stream in arm.streams)
    return 2 * clients if _proxies(arm) else clients


def _refuse_beyond_worker_descriptors(target: Assigned, arm: ResolvedArm) -> None:
    limit = _limit(target, "nofile_hard")
    connections = _nginx_connections(arm)
    if limit is None:
        return
    if arm.worker_connections > limit:
        raise Conflict(
            f"{arm.arm.label}: worker_connections {arm.worker_connections} is more than the {limit} file descriptors "
            f"that a process on {target.host.name} may open. Set at most {limit}, and use more workers if necessary.",
            code="too-many-worker-connections",
        )
    fits = int(limit * _USABLE_SHARE) - _RESERVED_DESCRIPTORS
    if connections > fits * arm.workers:
        raise Conflict(
            f"{arm.arm.label}: {connections} connections over {arm.workers} workers need more than 90 % of the {limit} "
            f"file descriptors that a process on {target.host.name} may open. Set workers to at least "
            f"{math.ceil(connections / max(1, fits))}.",
            code="too-few-workers",
        )


def _ends(definition: Definition, assigned: Sequence[Assigned], host: Assigned, arm: ResolvedArm) -> tuple[int, int]:
    """Numbers of ends of the load's connections on a host: at its nginx, and at its generators."""
    here = [entry for entry in assigned if entry.host.id == host.host.id]
    every = sum(stream.connections for stream in arm.streams)
    at_nginx = every if any(entry.slot == TARGET_SLOT for entry in here) else 0
    own = (stream for entry in here for stream in _streams(definition, entry, arm))
    return at_nginx, sum(stream.connections for stream in own)


def _refuse_beyond_conntrack(host: Assigned, connections: int) -> None:
    limit = _limit(host, "nf_conntrack_max")
    if limit is not None and connections > limit * _CONNTRACK_SHARE:
        raise Conflict(
            f"{connections} connections need more than 80 % of the {limit} entries of the connection-tracking table of "
            f"{host.host.name}. At most {int(limit * _CONNTRACK_SHARE)} connections fit; or set "
            f"net.netfilter.nf_conntrack_max to at least {math.ceil(connections / _CONNTRACK_SHARE)} there.",
            code="conntrack-too-small",
        )


def _refuse_beyond_memory(host: Assigned, ends: int) -> None:
    room = host.inventory.memory_bytes * _MEMORY_SHARE
    if ends * _BYTES_AN_END > room:
        raise Conflict(
            f"{ends} ends of connections need about {ends * _BYTES_AN_END >> 20:,} MiB, more than 80 % of the memory "
            f"of {host.host.name}. At most {int(room / _BYTES_AN_END)} ends fit; a connection within one host has two.",
            code="too-little-memory",
        )


def _addresses(entry: Assigned) -> int:
    """The number of addresses that a generator can connect from: those of the interface that has the slot's address."""
    for nic in entry.inventory.nics:
        if entry.address in nic.addresses:
            version = ip_address(entry.address).version
            return len(list(_of_version(nic.addresses, version)))
    return 1


def _of_version(addresses: Sequence[str], version: int) -> Iterator[str]:
    for text in addresses:
        address = ip_address(text.partition("%")[0].partition("/")[0])
        if address.version == version and not address.is_link_local:
            yield text


def _limit(entry: Assigned, name: str) -> int | None:
    """``None``: unlimited or unknown."""
    text = entry.inventory.limits.get(name, "")
    return int(text) if text.isdigit() else None


def _port_range(entry: Assigned) -> int | None:
    words = entry.inventory.limits.get("ip_local_port_range", "").replace("-", " ").split()
    if len(words) != 2 or not all(word.isdigit() for word in words):
        return None
    return int(words[1]) - int(words[0]) + 1
