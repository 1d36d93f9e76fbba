"""wrk's command line."""

import math
import shutil
from pathlib import Path

from ngxlab_contracts.streams import StreamSpec

from ngxlab_worker.engines.base import GeneratorError, Target, stream_invalid
from ngxlab_worker.engines.http_syntax import require_http_syntax

SHORTEST_TIMEOUT_S = 30
"""wrk leaves every response slower than its --timeout (default 2 s) out of the histogram: never set it lower."""


def timeout_s(spec: StreamSpec) -> int:
    return max(spec.timeout_s, SHORTEST_TIMEOUT_S)


def established_connections(spec: StreamSpec) -> int:
    """wrk gives each thread ``connections // threads`` and silently drops the remainder."""
    return spec.connections // spec.threads * spec.threads


def wrk_command(spec: StreamSpec, target: Target, life_s: float, script: Path | None = None) -> tuple[str, ...]:
    """``life_s`` only ends a wrk that nobody stops; normally SIGINT ends it. Raises ``GeneratorError``."""
    program = shutil.which("wrk")
    if program is None:
        raise GeneratorError("wrk-missing", "wrk is not installed on this host: install the package wrk")
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
        raise stream_invalid(spec, f"{spec.connections} connections are fewer than {spec.threads} threads")
    require_http_syntax(spec)
