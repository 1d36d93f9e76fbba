"""wrk's command line, and its Lua script: made for what the command line cannot express, or the user's own."""

import math
import shutil
from pathlib import Path
from string import Template

from ngxlab_contracts.streams import PathChoice, StreamSpec

from ngxlab_worker.engines.base import GeneratorError, Target, require_http_syntax, stream_invalid
from ngxlab_worker.sandbox import Isolation, Sandbox

SHORTEST_TIMEOUT_S = 30
"""wrk leaves every response slower than its --timeout (default 2 s) out of the histogram: never set it lower."""
SCRIPT = "stream.lua"
MOST_REQUESTS_MADE = 20_000
"""Each thread draws this many paths where there are more, and uses only those."""


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
    if spec.connections < spec.threads:
        raise stream_invalid(spec, f"{spec.connections} connections are fewer than {spec.threads} threads")
    require_http_syntax(spec)
    command = [program, "-t", str(spec.threads), "-c", str(spec.connections), "-d", f"{math.ceil(life_s)}s"]
    command += ["--latency", "--timeout", f"{timeout_s(spec)}s"]
    if script is not None:
        command += ["-s", str(script)]
    headers = dict(spec.headers) if spec.keep_alive else {**spec.headers, "Connection": "close"}
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}"]
    scheme = "https" if spec.tls else "http"
    return (*command, f"{scheme}://{target.authority}{spec.path}")


def script_of(spec: StreamSpec) -> str | None:
    """The script that ``spec`` needs, if any. Raises ``GeneratorError`` where ``spec`` is invalid."""
    shaped = spec.paths is not None or spec.method != "GET" or spec.body is not None or spec.body_bytes is not None
    if spec.script is not None:
        if shaped:
            raise stream_invalid(spec, "a script sets method, path and body itself: set either script or these")
        return spec.script
    if spec.body is not None and spec.body_bytes is not None:
        raise stream_invalid(spec, "set either body or body_bytes, not both")
    if spec.method == "HEAD":
        raise stream_invalid(spec, "wrk waits forever for the body of an answer to HEAD: use GET or engine open-loop")
    counted = bool(spec.rejected_statuses)
    if not shaped and not counted:
        return None
    lines = [f"wrk.method = {quoted(spec.method)}"]
    if spec.body is not None:
        lines.append(f"wrk.body = {quoted(spec.body)}")
    if spec.body_bytes is not None:
        lines.append(f'wrk.body = string.rep("x", {spec.body_bytes})')
    if spec.paths is not None:
        lines.append(_many_paths(spec.paths))
    if counted:
        lines.append(_lua("counting.lua"))
    return "\n".join(lines) + "\n"


def _many_paths(paths: PathChoice) -> str:
    before, after = map(quoted, paths.pattern.split("{n}"))
    made = min(paths.count, MOST_REQUESTS_MADE)
    return Template(_lua("many_paths.lua")).substitute(
        seed=paths.seed, count=paths.count, made=made, before=before, after=after
    )


def _lua(name: str) -> str:
    return Path(__file__).with_name(name).read_text().rstrip("\n")


def quoted(text: str) -> str:
    """A Lua string literal of ``text`` in UTF-8, so that it is data whatever it contains (Lua 5.1 manual, 2.1)."""
    plain = set(range(0x20, 0x7F)) - set(b'"\\')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03d}" for byte in text.encode()) + '"'


def write_script(spec: StreamSpec, folder: Path, sandbox: Sandbox) -> Path | None:
    """Write the script that ``spec`` needs, if any. Raises ``GeneratorError``, also where a user's script could not be
    contained, since wrk's Lua can do whatever a process can."""
    text = script_of(spec)
    if text is None:
        return None
    if spec.script is not None and sandbox.isolation is not Isolation.NAMESPACE:
        reason = f"stream {spec.key}: scripts need isolation by namespaces: see capability isolation of this host"
        raise GeneratorError("script-uncontained", reason)
    path = folder / SCRIPT
    path.write_text(text)
    path.chmod(0o644)  # whatever the umask: another user reads it
    return path
