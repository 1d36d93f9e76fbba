"""The source addresses of connections. Both addresses and both ports identify a connection, so from one source address
to one target port there are at most as many connections as local ports."""

import math
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address
from pathlib import Path

import psutil

from ngxlab_worker.core.kernel_files import PROC, read
from ngxlab_worker.engines.base import Target

USABLE_SHARE = 0.5
"""Above this fraction of the local ports, other programs may find none, and the kernel assigns ports slowly."""
EASY_SHARE = 0.2
"""The fraction of the local ports to use where there are enough addresses. connect(2) tries the ports of one parity
first, one by one: when nearly half of all ports are in use, it tries thousands."""

_FIRST_LOOPBACK = IPv4Address("127.0.1.1")
MOST_LOOPBACK = 4096


@dataclass(frozen=True)
class Sources:
    """``addresses`` to connect from; none: the kernel chooses. ``room``: how many connections they allow, 0 if unknown.
    ``is_own_host``: the target is on this host, so both ends of each connection are here."""

    addresses: tuple[str, ...]
    room: int
    local_ports: int
    is_own_host: bool


def local_ports(proc: Path = PROC) -> int:
    low, high = (read(proc / "sys/net/ipv4/ip_local_port_range") or "32768 60999").split()
    return int(high) - int(low) + 1


def sources_for(target: Target, connections: int) -> Sources:
    """As many loopback addresses as are needed, else all addresses of the interface that leads to the target.

    Raises ``OSError`` where there is no route to the target.
    """
    ports = local_ports()
    room_of_one = int(ports * USABLE_SHARE) * len(target.ports)
    address = ip_address(target.address)
    if address.is_loopback:
        most = MOST_LOOPBACK if address.version == 4 else 1
        easy = int(ports * EASY_SHARE) * len(target.ports)
        count = min(most, math.ceil(connections / easy))
        addresses = tuple(str(_FIRST_LOOPBACK + k) for k in range(count)) if address.version == 4 else ()
        return Sources(addresses, count * room_of_one, ports, is_own_host=True)
    addresses, is_own_host = _of_route_to(target)
    return Sources(addresses, len(addresses) * room_of_one, ports, is_own_host)


def _of_route_to(target: Target) -> tuple[tuple[str, ...], bool]:
    family = socket.AF_INET6 if ":" in target.address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:  # sends nothing: the kernel chooses the source address
        probe.connect((target.address, target.port))
        chosen = str(probe.getsockname()[0])
    for entries in psutil.net_if_addrs().values():
        addresses = [entry.address.partition("%")[0] for entry in entries if entry.family == family]
        if chosen in addresses:
            usable = tuple(a for a in addresses if a == chosen or not ip_address(a).is_link_local)
            return usable, target.address in addresses
    return (chosen,), chosen == target.address
