"""What a host can hold: descriptors, ports, connections and memory. A refusal gives the largest value that fits."""

import math
from collections.abc import Iterator, Sequence
from ipaddress import ip_address

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.sentences import say
from ngxlab_contracts.streams import StreamSpec

from ngxlab.core.errors import Conflict
from ngxlab.definition.resolve import ResolvedArm
from ngxlab.definition.rules.protocols import HTTP3
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
_QUIC_TAKES = 7
"""Of ``worker_connections``, taken by a connection of HTTP/3 with one request: itself, that stream, three more of the
client's and two of nginx's (ngx_event_quic_streams.c)."""


def refuse_beyond_limits(definition: Definition, assigned: Sequence[Assigned], arms: Sequence[ResolvedArm]) -> None:
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
                "Stream {stream}: {connections} connections need more than 90 % of the {limit} file "
                "descriptors that a process on {host} may open. At most {fits} connections fit.",
                stream=stream.key,
                connections=stream.connections,
                limit=limit,
                host=entry.host.name,
                fits=fits * processes,
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
            "{plain} connections need more than half of the {ports} local ports of {host}. At most "
            "{usable} connections fit.",
            plain=plain,
            ports=ports,
            host=entry.host.name,
            usable=usable,
            code="too-many-connections",
        )
    own = _addresses(entry)
    room = usable * own * int(arm.nginx.ports)
    if idle > room and not ip_address(entry.address).is_loopback:
        raise Conflict(
            "{idle} idle connections need more than half of the {ports} local ports of {host} (its addresses: {own}, "
            "ports of nginx: {listening}). At most {room} connections fit. Let nginx listen on more ports "
            "(nginx.ports), or give the host more addresses.",
            idle=idle,
            ports=ports,
            host=entry.host.name,
            own=own,
            listening=arm.nginx.ports,
            room=room,
            code="too-many-connections",
        )


def _refuse_few_worker_connections(arm: ResolvedArm) -> None:
    reachable = arm.worker_connections * (_FREE_SHARE - 1) // _FREE_SHARE
    needed = _nginx_connections(arm)
    if needed > reachable * arm.workers:
        counted = say(" (each has another one to an upstream server)") if _proxies(arm) else ""
        raise Conflict(
            "{arm}: with worker_connections {worker_connections}, nginx closes idle connections beyond "
            "{reachable} per worker, and the load needs {needed}{counted}. Raise worker_connections.",
            arm=arm.arm.label,
            worker_connections=arm.worker_connections,
            reachable=reachable,
            needed=needed,
            counted=counted,
            code="too-few-worker-connections",
        )


def _proxies(arm: ResolvedArm) -> bool:
    return bool(arm.upstream_servers)


def _nginx_connections(arm: ResolvedArm) -> int:
    """The most that nginx may have open: those of the clients, and where it proxies, one more for each of them. One of
    HTTP/3 takes several of its ``worker_connections``, as each of its streams does."""
    clients = sum(stream.connections * _taken(stream) for stream in arm.streams)
    return clients + (sum(stream.connections for stream in arm.streams) if _proxies(arm) else 0)


def _taken(stream: StreamSpec) -> int:
    return _QUIC_TAKES if stream.protocol == HTTP3 else 1


def _nginx_descriptors(arm: ResolvedArm) -> int:
    """Likewise; those of HTTP/3 have none, as they share the socket that listens."""
    by_tcp = sum(stream.connections for stream in arm.streams if stream.protocol != HTTP3)
    return by_tcp + (sum(stream.connections for stream in arm.streams) if _proxies(arm) else 0)


def _refuse_beyond_worker_descriptors(target: Assigned, arm: ResolvedArm) -> None:
    limit = _limit(target, "nofile_hard")
    connections = _nginx_descriptors(arm)
    if limit is None:
        return
    if arm.worker_connections > limit:
        raise Conflict(
            "{arm}: worker_connections {worker_connections} is more than the {limit} file descriptors "
            "that a process on {host} may open. Set at most {limit}, and use more workers if necessary.",
            arm=arm.arm.label,
            worker_connections=arm.worker_connections,
            limit=limit,
            host=target.host.name,
            code="too-many-worker-connections",
        )
    fits = int(limit * _USABLE_SHARE) - _RESERVED_DESCRIPTORS
    if connections > fits * arm.workers:
        raise Conflict(
            "{arm}: {connections} connections over {workers} workers need more than 90 % of the {limit}"
            " file descriptors that a process on {host} may open. Set workers to at least {wanted}.",
            arm=arm.arm.label,
            connections=connections,
            workers=arm.workers,
            limit=limit,
            host=target.host.name,
            wanted=math.ceil(connections / max(1, fits)),
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
            "{connections} connections need more than 80 % of the {limit} entries of the "
            "connection-tracking table of {host}. At most {fits} connections fit; or set "
            "net.netfilter.nf_conntrack_max to at least {wanted} there.",
            connections=connections,
            limit=limit,
            host=host.host.name,
            fits=int(limit * _CONNTRACK_SHARE),
            wanted=math.ceil(connections / _CONNTRACK_SHARE),
            code="conntrack-too-small",
        )


def _refuse_beyond_memory(host: Assigned, ends: int) -> None:
    room = host.inventory.memory_bytes * _MEMORY_SHARE
    if ends * _BYTES_AN_END > room:
        raise Conflict(
            "{ends} ends of connections need about {memory:,} MiB, more than 80 % of the memory of "
            "{host}. At most {fits} ends fit; a connection within one host has two.",
            ends=ends,
            memory=ends * _BYTES_AN_END >> 20,
            host=host.host.name,
            fits=int(room / _BYTES_AN_END),
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
