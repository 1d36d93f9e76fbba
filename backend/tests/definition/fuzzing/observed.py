"""A real nginx outside of any sandbox, with every file and every connection that it asks the kernel for.

What is refused by the kernel counts too: the list of directives must hold where nothing stands behind it.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ngxlab_worker.nginx.config import fill
from ngxlab_worker.nginx.ports import free_ports

NOBODY = 65534
FILLED = {"folder", "pid_file", "error_log", "address", "status_port", "http_port", "upstream.app"}
"""The placeholders that an observed configuration may have."""
_STRACE = (
    "strace", "-f", "-qq", "--seccomp-bpf", "-y", "-s", "300", "-e", "signal=none",
    "-e", "trace=%file,connect,bind,sendto,sendmsg",
)  # fmt: skip
_UNPRIVILEGED = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all")
_LIMITS = ("prlimit", "--as=2147483648", "--fsize=67108864", "--cpu=20", "--nofile=1024")
_START_S = 10.0
_ANSWER_S = 0.5
_ENDINGS = ("", "/", "/a.txt", "../nginx.conf", "/..%2fnginx.conf", "/etc/passwd", "/:/run/docker.sock:/")
_BAITS_OF_CLIENTS = (
    "/etc/passwd",
    ":/run/docker.sock:/",
    "unix:/run/docker.sock:/",
    "@10.0.0.1/",
    "../../../etc/passwd",
)
_CALL = re.compile(r"(?:\[pid\s+)?(\d+)\]?\s+(\w+)\((.*)")
_STRING = r'"((?:[^"\\]|\\.)*)"'
_OF_NETWORK = {"connect", "bind", "sendto", "sendmsg"}
_IN_FOLDER = ("files", "store", "cache", "temp", "html")
"""What a worker may open below the trial's folder, beside the log of requests."""


@dataclass(frozen=True)
class Seen:
    """What became of one configuration. ``refused_line`` where nginx did not start, and said why; ``beyond``: what it
    asked for beyond its folder and what was declared, as the call and the path or address."""

    started: bool
    refused_line: int | None
    beyond: list[str]


class DeclaredServer:
    """The one upstream server that configurations may connect to. Its answers name baits, too."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        body = "".join(f"X: {bait}\r\n" for bait in _BAITS_OF_CLIENTS[:2])
        answer = (
            f"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\nX-Accel-Redirect: /../nginx.conf\r\n"
            f"Location: http://10.0.0.1/\r\n{body}\r\nok"
        ).encode()
        while True:
            connection, _ = self._listener.accept()
            with connection, contextlib.suppress(OSError):
                connection.settimeout(_ANSWER_S)
                connection.recv(65536)
                connection.sendall(answer)


class Observer:
    """Runs configurations in a network namespace of its own, one after another in each thread."""

    def __init__(self, plain: str) -> None:
        """``plain``: a configuration that does nothing; what it opens is nginx's own business."""
        self._server = DeclaredServer()
        self._own: set[str] = set()
        seen = self.observe(plain, [])
        assert seen.started, seen
        self._own = set(seen.beyond)

    def observe(self, config: str, places: Sequence[str]) -> Seen:
        """``places``: how the paths of requests begin."""
        with tempfile.TemporaryDirectory(prefix="fuzz-", dir="/tmp") as name:
            folder = Path(name)
            status_port, http_port = self._make(folder, config)
            trace = folder / "trace"
            started = self._run(folder, trace, status_port, http_port, places)
            log = folder / "error.log"
            refused = re.findall(r"nginx\.conf:(\d+)", log.read_text(errors="replace")) if log.exists() else []
            acts = self._acts(trace, folder, {status_port, http_port})
            line = int(refused[-1]) if refused and not started else None
            return Seen(started, line, sorted(set(acts) - self._own))

    def _make(self, folder: Path, config: str) -> tuple[int, int]:
        for inner in ("files", "temp", "store"):
            (folder / inner).mkdir()
        (folder / "files" / "a.txt").write_text("yours")
        (folder / "trace").touch()
        status_port, http_port = free_ports(2)
        values = {
            "folder": str(folder),
            "pid_file": f"{folder}/nginx.pid",
            "error_log": f"{folder}/error.log",
            "address": "127.0.0.1",
            "status_port": str(status_port),
            "http_port": str(http_port),
            "upstream.app": f"server 127.0.0.1:{self._server.port};",
        }
        (folder / "nginx.conf").write_text(fill(config, values))
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        return status_port, http_port

    def _run(self, folder: Path, trace: Path, status_port: int, http_port: int, places: Sequence[str]) -> bool:
        argv = ["/usr/sbin/nginx", "-p", f"{folder}/", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"]
        process = subprocess.Popen(
            [*_LIMITS, *_UNPRIVILEGED, *_STRACE, "-o", trace, *argv],
            cwd=folder, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            if not _await(process, status_port):
                return False
            for request in _requests(places):
                _ask(http_port, request)
            return True
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _acts(self, trace: Path, folder: Path, listening: set[int]) -> Iterator[str]:
        master = None
        for line in trace.read_text(errors="replace").splitlines():
            match = _CALL.match(line)
            if match is None:
                continue
            pid, call, arguments = match.groups()
            master = master or pid
            if call in _OF_NETWORK:
                address = _address(arguments)
                if address is not None and not self._is_declared(call, address, listening):
                    yield f"{call} {address}"
                continue
            for path in _paths(arguments, folder):
                if not _is_own(path, folder, by_worker=pid != master):
                    yield f"{call} {path}"

    def _is_declared(self, call: str, address: str, listening: set[int]) -> bool:
        if call == "bind":
            return address in {f"127.0.0.1:{port}" for port in listening} or address.endswith(":0")  # proxy_bind
        return address == f"127.0.0.1:{self._server.port}"


def _await(process: "subprocess.Popen[bytes]", port: int) -> bool:
    ends = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < ends:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), _ANSWER_S):
            return True
        time.sleep(0.005)
    return False


def _requests(places: Sequence[str]) -> Iterator[bytes]:
    for place in places:
        for number, ending in enumerate(_ENDINGS):
            bait = _BAITS_OF_CLIENTS[number % len(_BAITS_OF_CLIENTS)]
            yield (
                f"GET /{place}{ending}?u={bait}&x={bait} HTTP/1.1\r\nHost: {'app' if number % 2 else bait}\r\n"
                f"X: {bait}\r\nCookie: a={bait}\r\nConnection: close\r\n\r\n"
            ).encode()
        yield (
            f"PUT /{place}/planted HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\nConnection: close\r\n\r\n".encode()
            + (b"x" * 20000)
        )


def _ask(port: int, request: bytes) -> None:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), _ANSWER_S) as connection:
        connection.sendall(request)
        connection.settimeout(_ANSWER_S)
        while connection.recv(65536):
            pass


def _address(arguments: str) -> str | None:
    """None: of no address, or of the kernel's own sockets."""
    if match := re.search(r"sun_path=(@?)" + _STRING, arguments):
        return f"unix:{match[1]}{match[2]}"
    if match := re.search(r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)', arguments):
        return f"{match[2]}:{match[1]}"
    if match := re.search(r'sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "([^"]+)"', arguments):
        return f"[{match[2]}]:{match[1]}"
    return None


def _paths(arguments: str, folder: Path) -> Iterator[str]:
    """Whole, without segments of dots: nothing in the trial's folder is a link."""
    for match in re.finditer(r"(?:(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, )?" + _STRING, arguments.split(" = ", maxsplit=1)[0]):
        base = match[1] or str(folder)
        path = match[2].encode().decode("unicode_escape", errors="replace")
        yield os.path.normpath(Path(base) / path) if path else base
        if not arguments.startswith(("rename", "link")):
            return


def _is_own(path: str, folder: Path, *, by_worker: bool) -> bool:
    below = path.removeprefix(f"{folder}/")
    if folder.is_relative_to(path) or (below != path and not by_worker):  # disable_symlinks walks down to it
        return True
    return below != path and (below.split("/")[0] in _IN_FOLDER or below.startswith(("cache", "access.log")))
