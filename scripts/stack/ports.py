"""Whether a TCP port is free, and if not, which process listens on it."""

import errno
import re
import socket
import subprocess

from scripts.console import Failure


def require_free(address: str, port: int, setting: str) -> None:
    """Raise :class:`Failure` that names the port, its setting and, where visible, the process that uses it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise Failure(
                    f"cannot listen on {address} port {port}: {error.strerror}", f"change {setting}, e.g. in .env"
                ) from error
            raise Failure(
                f"port {port} is already in use{_owner_of(port)}",
                f"stop that process, or set {setting} to a free port, e.g. in .env",
            ) from error


def _owner_of(port: int) -> str:
    """`` by name (pid N)`` of the process that listens on ``port``; empty where this user cannot see it."""
    asked = ["ss", "--no-header", "--listening", "--tcp", "--numeric", "--processes", f"sport = :{port}"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    except OSError:  # without iproute2
        return ""
    found = re.search(r'\(\("([^"]+)",pid=(\d+)', said)
    return f" by {found[1]} (pid {found[2]})" if found else ""
