"""The programs of our own engines: where they are, whether they run on this host's kernel, and what all are told."""

import os
import shutil
import sys
from pathlib import Path

from ngxlab_contracts.engines import NATIVE_ENGINES
from ngxlab_contracts.hosts import Capability
from ngxlab_contracts.streams import StreamSpec

from ngxlab_worker.core.programs import ProgramError, ask
from ngxlab_worker.engines.base import EngineInventory, Target, require_http_syntax, stream_invalid


class ProgramMissingError(Exception):
    """The program has not been built on this host. The message says how to fix it."""


def find_program(name: str) -> Path:
    """The program beside this Python, where the set-up installs it, or on PATH. Raises ``ProgramMissingError``."""
    beside = Path(sys.prefix) / "bin" / name
    if os.access(beside, os.X_OK):
        return beside
    path = shutil.which(name)
    if path is None:
        raise ProgramMissingError(f"{name} is not built on this host: run `make setup` (it needs gcc and libssl-dev)")
    return Path(path)


class NativeEngine:
    """What the engines that run a program of ours have in common. ``runs_check``: it is run with ``--check``, which
    prints ``ok`` or what this kernel lacks."""

    program: str
    runs_check = False

    def inventory(self) -> EngineInventory:
        answer = self.answer("--check") if self.runs_check else self.answer()
        works = answer == "ok"
        detail = str(find_program(self.program)) if works else answer
        return EngineInventory((Capability(name=NATIVE_ENGINES, available=works, detail=detail),))

    def answer(self, *question: str) -> str:
        """What the program says to an option such as ``--check``: ``ok``, or what is missing."""
        try:
            path = str(find_program(self.program))
            return ask(path, *question).strip() if question else "ok"
        except (ProgramMissingError, ProgramError) as error:
            return str(error)

    def programs(self) -> list[str]:
        try:
            return [str(find_program(self.program))]
        except ProgramMissingError:
            return []


FILLING = b"x"


def target_options(spec: StreamSpec, target: Target) -> list[str]:
    """What every program is told: where the load goes, and which statuses serve requests."""
    words = ["--address", target.address, "--served", ",".join(map(str, spec.served_statuses))]
    for port in target.ports:
        words += ["--port", str(port)]
    return [*words, "--connections", str(spec.connections), "--timeout", str(spec.timeout_s)]


def request_options(spec: StreamSpec, target: Target, file: Path) -> list[str]:
    """The stream's one request, which goes into ``file``. Raises ``GeneratorError`` for a path or header that HTTP does
    not allow."""
    file.write_bytes(one_request(spec, target))
    file.chmod(0o644)  # whatever the umask: another user reads it
    words = ["--request", str(file)]
    return [*words, "--head"] if spec.method == "HEAD" else words


def one_request(spec: StreamSpec, target: Target) -> bytes:
    """As the engines' programs take it. Raises ``GeneratorError``."""
    return request_bytes(spec, target) if spec.protocol == "http/1.1" else request_fields(spec, target)


def request_bytes(spec: StreamSpec, target: Target) -> bytes:
    """An HTTP/1.1 request with Host, and with Content-Length where a body is present or expected (RFC 9110, 8.6).

    Raises ``GeneratorError`` for a path or header that HTTP does not allow.
    """
    require_http_syntax(spec)
    body = _body(spec)
    own = {"host": target.authority, **_length(spec, body)}
    if not spec.keep_alive:
        own["connection"] = "close"
    lines = [f"{spec.method} {spec.asked_path} HTTP/1.1"]
    headers = spec.asked_headers
    given = {name.lower() for name in headers}
    lines += [f"{name.title()}: {value}" for name, value in own.items() if name not in given]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def request_fields(spec: StreamSpec, target: Target) -> bytes:
    """The same request as pairs of a header's name and its value, each ended by a zero byte
    (``openloop_multiplex.h``).

    Raises ``GeneratorError`` for a path or header that HTTP/2 and HTTP/3 do not allow (RFC 9113, 8.2 and 8.3;
    RFC 9114, 4.2 and 4.3).
    """
    require_http_syntax(spec)
    given = {name.lower(): value for name, value in spec.headers.items()}
    if wrong := sorted(given.keys() & ABOUT_A_CONNECTION):
        raise stream_invalid(spec, f"{spec.protocol.upper()} has no header {wrong[0]}")
    body = _body(spec)
    pairs = {
        ":method": spec.method,
        ":scheme": "https" if spec.tls else "http",
        ":authority": given.pop("host", target.authority),
        ":path": spec.asked_path,
        **_length(spec, body),
        **given,
    }
    return b"".join(f"{name}\0{value}\0".encode() for name, value in pairs.items()) + b"\0" + body


ABOUT_A_CONNECTION = frozenset({"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"})


def _body(spec: StreamSpec) -> bytes:
    return spec.body.encode() if spec.body is not None else FILLING * (spec.body_bytes or 0)


def _length(spec: StreamSpec, body: bytes) -> dict[str, str]:
    return {"content-length": str(len(body))} if body or spec.method in {"POST", "PUT", "PATCH"} else {}
