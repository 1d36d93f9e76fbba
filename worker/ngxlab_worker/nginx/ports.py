"""Free ports for a trial's listeners."""

import random
import socket
from pathlib import Path

LOWEST = 10_240
ATTEMPTS = 200


def free_ports(count: int) -> list[int]:
    """Distinct ports on 127.0.0.1 that nobody listens on now, below the range of outgoing connections.

    A port of that range could be taken by a client, such as the load itself, before nginx binds it.
    Raises ``OSError`` where none is found.
    """
    first_outgoing = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    highest = first_outgoing if first_outgoing > 2 * LOWEST else 65_536
    found: list[int] = []
    for _ in range(ATTEMPTS):
        port = random.randrange(LOWEST, highest)  # noqa: S311 — spread, not secrecy
        if port not in found and _is_free(port):
            found.append(port)
            if len(found) == count:
                return found
    raise OSError(f"no {count} free ports between {LOWEST} and {highest - 1} on 127.0.0.1")


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As nginx does: a port whose old connections are in TIME_WAIT is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
