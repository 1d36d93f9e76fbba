"""Where connections come from: a connection is told from the others by both addresses and both ports, so one source
address and one target port carry no more of them than there are local ports."""

import math
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address
from pathlib import Path

import psutil

from ngxlab_worker.core.kernel_files import PROC, read
from ngxlab_worker.engines.base import Target

USABLE_SHARE = 0.5
"""Of the local ports: beyond it others find none, and the kernel gives the second half out unwillingly."""
EASY_SHARE = 0.2
"""Where there are addresses enough. connect(2) takes ports of one parity first, and goes through them one by one until
it finds a free one: near the half of all ports it looks at thousands."""

_FIRST_LOOPBACK = IPv4Address("127.0.1.1")
MOST_LOOPBACK = 4096


@dataclass(frozen=True)
class Sources:
    """``addresses`` to connect from, none: as the kernel chooses. ``room``: connections that fit, 0 if unknown.
    ``is_own_host``: the target is on this host, so both ends of each connection are here."""

    addresses: tuple[str, ...]
    room: int
    local_ports: int
    is_own_host: bool


def local_ports(proc: Path = PROC) -> int:
    """How many the kernel gives out to outgoing connections."""
    low, high = (read(proc / "sys/net/ipv4/ip_local_port_range") or "32768 60999").split()
    return int(high) - int(low) + 1


def sources_for(target: Target, connections: int) -> Sources:
    """Loopback has as many addresses as are needed; elsewhere all of the interface that leads to the target.

    Raises ``OSError`` where there is no way to the target.
    """
    ports = local_ports()
    room_of_one = int(ports * USABLE_SHARE) * len(target.ports)
    address = ip_address(target.address)
    if address.is_loopback:
        most = MOST_LOOPBACK if address.version == 4 else 1
        easy = int(ports * EASY_SHARE) * len(target.ports)
        count = min(most, math.ceil(connections / easy))
        found = tuple(str(_FIRST_LOOPBACK + k) for k in range(count)) if address.version == 4 else ()
        return Sources(found, count * room_of_one, ports, is_own_host=True)
    found, is_own_host = _of_the_way_to(target)
    return Sources(found, len(found) * room_of_one, ports, is_own_host)


def _of_the_way_to(target: Target) -> tuple[tuple[str, ...], bool]:
    family = socket.AF_INET6 if ":" in target.address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:  # sends nothing, and lets the kernel choose
        probe.connect((target.address, target.port))
        chosen = str(probe.getsockname()[0])
    for entries in psutil.net_if_addrs().values():
        addresses = [entry.address.partition("%")[0] for entry in entries if entry.family == family]
        if chosen in addresses:
            usable = tuple(a for a in addresses if a == chosen or not ip_address(a).is_link_local)
            return usable, target.address in addresses
    return (chosen,), chosen == target.address
