"""TCP sockets and counters, and the connection tracking table where the kernel has one.

Sources: proc(5), /proc/net/{sockstat,snmp,netstat}; the kernel's nf_conntrack-sysctl.rst. All are of the agent's
network namespace. ``inuse`` counts IPv4 sockets only; ``tw`` and ``alloc`` count both families.
"""

from collections.abc import Sequence
from functools import partial

from ngxlab_worker.collectors.procfile import PAGE_BYTES, FileCollector, Machine, Source
from ngxlab_worker.collectors.reading import Values, counter, gauge, parser

_SOCKSTAT = {
    b"inuse": ("node_sockstat_TCP_inuse", 1),
    b"orphan": ("node_sockstat_TCP_orphan", 1),
    b"tw": ("node_sockstat_TCP_tw", 1),
    b"alloc": ("node_sockstat_TCP_alloc", 1),
    b"mem": ("node_sockstat_TCP_mem_bytes", PAGE_BYTES),
}
TCP_FIELDS = ("ActiveOpens", "PassiveOpens", "RetransSegs", "InSegs", "OutSegs", "CurrEstab")
TCP_EXT_FIELDS = ("ListenOverflows", "ListenDrops", "TCPTimeouts", "TCPAbortOnMemory", "SyncookiesSent")

_CONNTRACK_ENTRIES = "node_nf_conntrack_entries"
_CONNTRACK_LIMIT = "node_nf_conntrack_entries_limit"
METRICS = (
    *(gauge(name, "bytes" if name.endswith("_bytes") else "sockets") for name, _ in _SOCKSTAT.values()),
    counter("node_netstat_Tcp_ActiveOpens", "connections"),
    counter("node_netstat_Tcp_PassiveOpens", "connections"),
    counter("node_netstat_Tcp_RetransSegs", "segments"),
    counter("node_netstat_Tcp_InSegs", "segments"),
    counter("node_netstat_Tcp_OutSegs", "segments"),
    gauge("node_netstat_Tcp_CurrEstab", "connections"),
    *(counter(f"node_netstat_TcpExt_{field}", "events") for field in TCP_EXT_FIELDS),
    gauge(_CONNTRACK_ENTRIES, "entries"),
    gauge(_CONNTRACK_LIMIT, "entries"),
)


@parser
def parse_sockstat(data: bytes) -> Values:
    """/proc/net/sockstat, its ``TCP:`` line; memory in bytes (pages in the file)."""
    line = next((line for line in data.splitlines() if line.startswith(b"TCP:")), b"")
    words = line.split()[1:]
    if not words:
        raise ValueError(data)
    numbers = dict(zip(words[::2], words[1::2], strict=True))
    return {
        (name,): float(int(numbers[word]) * factor) if word in numbers else None
        for word, (name, factor) in _SOCKSTAT.items()
    }


@parser
def parse_counters(data: bytes, *, protocol: str, fields: Sequence[str]) -> Values:
    """/proc/net/snmp and netstat: for each protocol a line of names, then one of values in the same order."""
    prefix = f"{protocol}:".encode()
    names, numbers = (line.split() for line in data.splitlines() if line.startswith(prefix))
    by_name = dict(zip(names, numbers, strict=True))
    values: Values = {}
    for field in fields:
        number = by_name.get(field.encode())
        values[f"node_netstat_{protocol}_{field}",] = None if number is None else float(int(number))
    return values


@parser
def parse_scalar(data: bytes, *, name: str) -> Values:
    return {(name,): float(int(data))}


def collector(machine: Machine) -> FileCollector:
    conntrack = f"{machine.proc}/sys/net/netfilter/nf_conntrack"
    sources = [
        Source(f"{machine.proc}/net/sockstat", parse_sockstat),
        Source(f"{machine.proc}/net/snmp", partial(parse_counters, protocol="Tcp", fields=TCP_FIELDS)),
        Source(f"{machine.proc}/net/netstat", partial(parse_counters, protocol="TcpExt", fields=TCP_EXT_FIELDS)),
        Source(f"{conntrack}_count", partial(parse_scalar, name=_CONNTRACK_ENTRIES), optional=True),
        Source(f"{conntrack}_max", partial(parse_scalar, name=_CONNTRACK_LIMIT), optional=True),
    ]
    return FileCollector("tcp", METRICS, sources)
