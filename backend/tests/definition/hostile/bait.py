"""All that a hostile configuration may be after, in a network and file systems of this process's own.

Addresses that it names are those of listeners, sockets that it names exist, and what it writes is seen. Nothing of it
exists for the machine: see ``judge.py``, which ``unshare`` starts.
"""

import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

ADDRESSES = ("10.0.0.1", "10.0.0.9", "169.254.169.254")
PORTS = (25, 80, 443, 2375, 5432, 6379, 8080, 11211, 1)
SOCKETS = ("/run/docker.sock", "/run/php.sock")
SECRETS = (b"daemon:x:1:1", b"the agent's credential", b"worker_processes")
"""In the host's /etc/passwd, the agent's folder, and a trial's own nginx.conf."""
OWN = ("/tmp", "/run", "/dev/shm")
"""Where anybody may write: empty file systems of our own, so that neither side sees the other's files."""
_NAMED_PATH = re.compile(r"/[\w./-]*")


class Outside:
    """Make it once, before anything hostile starts."""

    def __init__(self) -> None:
        self.callers: list[int] = []
        """One entry for each connection to something that no trial may reach."""
        for place in OWN:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", place], check=True)
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        for address in ADDRESSES:
            subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
        for port in PORTS:
            self._serve(socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True))
        for path in SOCKETS:
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(path)
            Path(path).chmod(0o777)
            listener.listen()
            self._serve(listener)
        self.watch()

    def _serve(self, listener: socket.socket) -> None:
        def serve() -> None:
            while True:
                connection, _ = listener.accept()
                self.callers.append(connection.fileno())
                connection.close()

        threading.Thread(target=serve, daemon=True).start()

    def _seen(self) -> set[Path]:
        return {path for folder in OWN for path in Path(folder).iterdir()}

    def watch(self) -> None:
        """What is there now is known."""
        self._files = self._seen()

    def new_files(self) -> set[Path]:
        """What appeared since :meth:`watch`. It is removed."""
        new = self._seen() - self._files
        for path in new:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        return new


def authors(path: Path, texts: Mapping[int, str]) -> list[int]:
    """Whose configuration names ``path``, or else how it begins (the rest may come from a variable)."""
    named = {number: _NAMED_PATH.findall(text) for number, text in texts.items()}
    exactly = [number for number, paths in named.items() if str(path) in paths]
    return exactly or [
        n for n, paths in named.items() if any(str(path).startswith(one + "/") for one in map(_folder, paths))
    ]


def _folder(path: str) -> str:
    return path.rstrip("/") or "nowhere"
