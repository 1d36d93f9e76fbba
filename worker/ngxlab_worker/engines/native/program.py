"""The programs of our own engines: where they are, whether they run on this host's kernel, and what all are told."""

import os
import shutil
import sys
from pathlib import Path

from ngxlab_contracts.engines import NATIVE_ENGINES
from ngxlab_contracts.hosts import Capability
from ngxlab_contracts.streams import StreamSpec

from ngxlab_worker.core.programs import ProgramError, ask
from ngxlab_worker.engines.base import EngineInventory, Target, require_http_syntax


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
        try:
            path = str(find_program(self.program))
            answer = ask(path, "--check").strip() if self.runs_check else "ok"
        except (ProgramMissingError, ProgramError) as error:
            path = answer = str(error)
        works = answer == "ok"
        return EngineInventory((Capability(name=NATIVE_ENGINES, available=works, detail=path if works else answer),))

    def programs(self) -> list[str]:
        try:
            return [str(find_program(self.program))]
        except ProgramMissingError:
            return []


FILLING = b"x"


def target_options(spec: StreamSpec, target: Target, request: Path) -> list[str]:
    """What every program is told: where the load goes, in which requests, and which statuses serve them. Writes the
    file ``request``. Raises ``GeneratorError`` for a path or header that HTTP does not allow."""
    request.write_bytes(request_bytes(spec, target))
    request.chmod(0o644)  # whatever the umask: another user reads it
    words = ["--address", target.address, "--served", ",".join(map(str, spec.served_statuses))]
    for port in target.ports:
        words += ["--port", str(port)]
    words += ["--connections", str(spec.connections), "--timeout", str(spec.timeout_s), "--request", str(request)]
    return [*words, "--head"] if spec.method == "HEAD" else words


def request_bytes(spec: StreamSpec, target: Target) -> bytes:
    """An HTTP/1.1 request with Host, and with Content-Length where a body is present or expected (RFC 9110, 8.6).

    Raises ``GeneratorError`` for a path or header that HTTP does not allow.
    """
    require_http_syntax(spec)
    body = spec.body.encode() if spec.body is not None else FILLING * (spec.body_bytes or 0)
    own = {"host": target.authority}
    if body or spec.method in {"POST", "PUT", "PATCH"}:
        own["content-length"] = str(len(body))
    if not spec.keep_alive:
        own["connection"] = "close"
    lines = [f"{spec.method} {spec.path} HTTP/1.1"]
    given = {name.lower() for name in spec.headers}
    lines += [f"{name.title()}: {value}" for name, value in own.items() if name not in given]
    lines += [f"{name}: {value}" for name, value in spec.headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body
