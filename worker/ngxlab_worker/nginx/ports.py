"""Free ports for a trial's listeners."""

import errno
import random
import socket
from pathlib import Path

from ngxlab_worker.nginx.config import LOCAL

LOWEST = 10_240
ATTEMPTS = 200
_KINDS = (socket.SOCK_STREAM, socket.SOCK_DGRAM)


def free_ports(count: int, *addresses: str) -> list[int]:
    """Distinct ports below the range of outgoing connections that are free on all of ``addresses`` (127.0.0.1), by TCP
    and by UDP, which QUIC uses.

    A client, such as the load itself, could take a port of that range before nginx binds it.
    Raises ``OSError`` where there are too few, or where an address is not this host's.
    """
    addresses = addresses or (LOCAL,)
    first_outgoing = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    highest = first_outgoing if first_outgoing > 2 * LOWEST else 65_536
    ports: list[int] = []
    for _ in range(ATTEMPTS + 2 * count):
        port = random.randrange(LOWEST, highest)  # noqa: S311 — spread, not secrecy
        if port not in ports and all(_is_free(address, port, kind) for address in addresses for kind in _KINDS):
            ports.append(port)
            if len(ports) == count:
                return ports
    raise OSError(f"fewer than {count} free ports between {LOWEST} and {highest - 1} on {', '.join(addresses)}")


def _is_free(address: str, port: int, kind: socket.SocketKind) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, kind) as probe:
        if (
            kind == socket.SOCK_STREAM
        ):  # as nginx does, so that a port whose old connections are in TIME_WAIT counts as free
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise OSError(f"{address} is not an address of this host") from error
            return False
        return True
