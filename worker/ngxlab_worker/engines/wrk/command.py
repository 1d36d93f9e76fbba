"""wrk's command line."""

import math
import re
import shutil
from pathlib import Path

from ngxlab_contracts.streams import StreamSpec

from ngxlab_worker.engines.base import GeneratorError, Target

SHORTEST_TIMEOUT_S = 30
"""wrk drops every response slower than its --timeout from the histogram (default 2 s): never go below."""

HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
UNSAFE_IN_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
UNSAFE_IN_PATH = re.compile(r"[\x00-\x20\x7f]")


def timeout_s(spec: StreamSpec) -> int:
    return max(spec.timeout_s, SHORTEST_TIMEOUT_S)


def established_connections(spec: StreamSpec) -> int:
    """wrk gives each thread ``connections // threads`` and silently drops the remainder."""
    return spec.connections // spec.threads * spec.threads


def wrk_command(spec: StreamSpec, target: Target, life_s: float, script: Path | None = None) -> tuple[str, ...]:
    """``life_s`` only bounds a forgotten wrk; its trial ends it by SIGINT. Raises ``GeneratorError``."""
    program = shutil.which("wrk")
    if program is None:
        raise GeneratorError("wrk-missing", "wrk is not installed on this host")
    _require_sound(spec)
    command = [program, "-t", str(spec.threads), "-c", str(spec.connections), "-d", f"{math.ceil(life_s)}s"]
    command += ["--latency", "--timeout", f"{timeout_s(spec)}s"]
    if script is not None:
        command += ["-s", str(script)]
    headers = dict(spec.headers) if spec.keep_alive else {**spec.headers, "Connection": "close"}
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}"]
    scheme = "https" if spec.tls else "http"
    return (*command, f"{scheme}://{target.authority}{spec.path}")


def _require_sound(spec: StreamSpec) -> None:
    if spec.connections < spec.threads:
        raise GeneratorError(
            "stream-invalid", f"stream {spec.key}: {spec.connections} connections are fewer than {spec.threads} threads"
        )
    if not spec.path.startswith("/") or UNSAFE_IN_PATH.search(spec.path):
        raise GeneratorError("stream-invalid", f"stream {spec.key}: {spec.path!r} is no path of a URL")
    for name, value in spec.headers.items():
        if not HEADER_NAME.fullmatch(name) or UNSAFE_IN_HEADER.search(value):
            raise GeneratorError("stream-invalid", f"stream {spec.key}: {name!r}: {value!r} is no HTTP header")
