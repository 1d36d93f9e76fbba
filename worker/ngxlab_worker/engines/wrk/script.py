"""wrk's Lua script: generated for what its command line cannot express, or the user's own."""

from pathlib import Path

from ngxlab_contracts.streams import PathChoice, StreamSpec

from ngxlab_worker.engines.base import GeneratorError, stream_invalid
from ngxlab_worker.sandbox import Isolation, Sandbox

NAME = "stream.lua"
MOST_REQUESTS_MADE = 20_000
"""Each thread draws this many paths where there are more, and uses only those."""

_MANY_PATHS = """\
local threads = 0
function setup(thread)
   threads = threads + 1
   thread:set("seed", {seed} + threads)
end
local requests = {{}}
function init(args)
   math.randomseed(seed)
   for i = 1, {made} do
      local n = {count} == {made} and i - 1 or math.random(0, {count} - 1)
      requests[i] = wrk.format(nil, {before} .. string.format("%d", n) .. {after})
   end
end
function request()
   return requests[math.random({made})]
end"""


_COUNTING = """\
local seed_thread = setup
local all_threads = {}
function setup(thread)
   if seed_thread then seed_thread(thread) end
   table.insert(all_threads, thread)
end
local names = {}
for status = 100, 999 do names[status] = "status_" .. status end
function response(status)
   local name = names[status]
   _G[name] = (_G[name] or 0) + 1
end
function done()
   for status = 100, 999 do
      local count = 0
      for _, thread in ipairs(all_threads) do count = count + (thread:get(names[status]) or 0) end
      if count > 0 then print(string.format("responses with status %d: %d", status, count)) end
   end
end"""
"""Each thread has a state of its own; `done` runs in another and reads their globals, one for each status."""


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
        lines.append(_COUNTING)
    return "\n".join(lines) + "\n"


def _many_paths(paths: PathChoice) -> str:
    """All requests are made before the load begins; drawing one of them then costs almost nothing."""
    before, after = paths.pattern.split("{n}")
    return _MANY_PATHS.format(
        seed=paths.seed,
        count=paths.count,
        made=min(paths.count, MOST_REQUESTS_MADE),
        before=quoted(before),
        after=quoted(after),
    )


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
    path = folder / NAME
    path.write_text(text)
    path.chmod(0o644)  # whatever the umask: another user reads it
    return path
