"""Whether a TCP port is free, and if not, which process listens on it."""

import contextlib
import errno
import os
import socket
from pathlib import Path

from scripts.console import Failure

LISTEN_STATE = "0A"


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
            owner = owner_of(port)
            raise Failure(
                f"port {port} is already in use{f' by {owner}' if owner else ''}",
                f"stop that process, or set {setting} to a free port, e.g. in .env",
            ) from error


def owner_of(port: int) -> str | None:
    """``name (pid N)`` of the process that listens on ``port``; ``None`` where this user cannot see it."""
    inodes = _listening_inodes(port)
    if not inodes:
        return None
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and _has_socket(folder, inodes):
            name = (folder / "comm").read_text().strip()
            return f"{name} (pid {folder.name})"
    return None


def _listening_inodes(port: int) -> set[str]:
    inodes: set[str] = set()
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        lines = table.read_text().splitlines()[1:] if table.exists() else []
        for fields in map(str.split, lines):
            if fields[3] == LISTEN_STATE and int(fields[1].rpartition(":")[2], 16) == port:
                inodes.add(f"socket:[{fields[9]}]")
    return inodes


def _has_socket(process: Path, inodes: set[str]) -> bool:
    with contextlib.suppress(OSError):  # other users' processes, and those that end while we look
        for descriptor in (process / "fd").iterdir():
            with contextlib.suppress(OSError):
                if os.readlink(descriptor) in inodes:  # noqa: PTH115  Path.readlink would mangle "socket:[1]"
                    return True
    return False
