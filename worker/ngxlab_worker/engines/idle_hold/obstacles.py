"""The limits of this host that so many connections would exceed, and what to set them to; before any is opened.

Nothing is changed: the kernel's limits are for its administrator to set.
"""

import contextlib
import math
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ngxlab_worker.core.kernel_files import PROC, number, read
from ngxlab_worker.engines.idle_hold.sources import Sources

USABLE_SHARE = 0.9
OWN_DESCRIPTORS = 64
"""What a process opens besides connections: standard streams, the page, epoll."""

MOST_PROCESSES = 1024


def descriptor_limit() -> int | None:
    """The limit of a process that this one starts; ``None``: unlimited."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if hard == resource.RLIM_INFINITY else hard


def connections_a_process(limit: int | None) -> int | None:
    """The most connections that a process may hold; ``None``: any number."""
    return None if limit is None else max(0, int(limit * USABLE_SHARE) - OWN_DESCRIPTORS)


def processes_for(connections: int, limit: int | None) -> int | None:
    """The number of processes that are needed; ``None`` where even 1024 are not enough."""
    fit = connections_a_process(limit)
    if fit is None:
        return 1
    processes = math.ceil(connections / fit) if fit else MOST_PROCESSES + 1
    return processes if processes <= MOST_PROCESSES else None


_MANY_ENTRIES = 10_000
CONNTRACK_SHARE = 0.8
"""Above this fraction of the connection tracking table the analysis reports a trial (docs/checks.md)."""

BYTES_AN_END = 5_000
"""Memory for one end of a connection: 8.1 KB of the kernel's were measured for both ends, and nginx and the generator
take less than 1.5 KB."""
MEMORY_SHARE = 0.9
FILES_SHARE = 0.95


@dataclass(frozen=True)
class Room:
    """The limits of the host and their present use. ``None``: unknown, or no such limit."""

    descriptor_limit: int | None
    conntrack_max: int | None
    conntrack_count: int | None
    available_bytes: int | None
    open_files: int | None
    most_files: int | None

    @classmethod
    def of_this_host(cls, descriptor_limit: int | None, proc: Path = PROC) -> "Room":
        _drop_expired_entries(proc)
        files = (read(proc / "sys/fs/file-nr") or "").split()
        return cls(
            descriptor_limit=descriptor_limit,
            conntrack_max=number(read(proc / "sys/net/netfilter/nf_conntrack_max")),
            conntrack_count=number(read(proc / "sys/net/netfilter/nf_conntrack_count")),
            available_bytes=_available_bytes(read(proc / "meminfo") or ""),
            open_files=number(files[0]) if files else None,
            most_files=number(files[2]) if len(files) == 3 else None,
        )


def obstacles(connections: int, sources: Sources, room: Room) -> list[str]:
    """A sentence for each limit that would be exceeded, with the value to set; empty where there is none."""
    ends = 2 if sources.is_own_host else 1
    sentences = (
        _descriptors(connections, room),
        _ports(connections, sources),
        _conntrack(connections, room),
        _files(connections * ends, room),
        _memory(connections, ends, room),
    )
    return [text for texts in sentences for text in texts]


def _descriptors(connections: int, room: Room) -> Iterator[str]:
    if processes_for(connections, room.descriptor_limit) is None:
        need = math.ceil((connections / MOST_PROCESSES + OWN_DESCRIPTORS) / USABLE_SHARE)
        yield (
            f"a process may open {room.descriptor_limit} files, so {connections} connections need more than "
            f"{MOST_PROCESSES} processes: raise LimitNOFILE of the agent's service to at least {need}"
        )


def _ports(connections: int, sources: Sources) -> Iterator[str]:
    if connections > sources.room:
        addresses = max(1, len(sources.addresses))
        yield (
            f"{sources.local_ports} local ports from {addresses} "
            f"address{'es' if addresses > 1 else ''} allow {sources.room} connections to this target: give "
            "this host more addresses, let nginx listen on more ports (nginx.ports), or widen "
            "net.ipv4.ip_local_port_range (at most to 1024 65535)"
        )


def _conntrack(connections: int, room: Room) -> Iterator[str]:
    if not room.conntrack_max or not room.conntrack_count:
        return  # there is no such table, or nothing is tracked
    need = room.conntrack_count + connections
    if need > room.conntrack_max * CONNTRACK_SHARE:
        yield (
            f"the connection tracking table has {room.conntrack_max} entries, {room.conntrack_count} of them in use: "
            f"set net.netfilter.nf_conntrack_max to at least {math.ceil(need / CONNTRACK_SHARE)}, or exempt the "
            "trial's ports from tracking"
        )


def _files(ends: int, room: Room) -> Iterator[str]:
    if room.most_files and room.open_files is not None and room.open_files + ends > room.most_files * FILES_SHARE:
        need = math.ceil((room.open_files + ends) / FILES_SHARE)
        yield f"the whole host may open {room.most_files} files: set fs.file-max to at least {need}"


def _memory(connections: int, ends: int, room: Room) -> Iterator[str]:
    need = connections * ends * BYTES_AN_END
    if room.available_bytes is not None and need > room.available_bytes * MEMORY_SHARE:
        fit = int(room.available_bytes * MEMORY_SHARE / (ends * BYTES_AN_END))
        yield (
            f"{room.available_bytes >> 20} MiB of memory are available, but about {need >> 20} MiB are needed: "
            f"use at most {fit} connections"
        )


def _drop_expired_entries(proc: Path) -> None:
    """Reading the table makes the kernel drop expired entries, which it otherwise counts for minutes after a trial.

    Only root may read it; for others the count stays as it is.
    """
    if (number(read(proc / "sys/net/netfilter/nf_conntrack_count")) or 0) < _MANY_ENTRIES:
        return
    with contextlib.suppress(OSError), (proc / "net/nf_conntrack").open("rb", buffering=1 << 16) as table:
        while table.read(1 << 20):
            pass


def _available_bytes(meminfo: str) -> int | None:
    for line in meminfo.splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return None
