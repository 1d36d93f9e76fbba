"""Keys of limits that are empty for every request of a stream: nginx limits only requests whose key has a value.

Only what is certain from the configuration and the stream is said: a variable that a module, a condition or a regular
expression gives its value is not known.
"""

import re
from collections.abc import Iterator

from ngxlab_contracts.streams import StreamSpec
from ngxlab_policy.fragments import every
from ngxlab_policy.syntax import Directive

from ngxlab.analysis.checks.places import Place, in_effect

_ZONES = {"limit_req": "limit_req_zone", "limit_conn": "limit_conn_zone"}
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_DEEPEST = 5
"""Maps of maps of maps: deeper ones are left alone."""


def empty_keys(place: Place, stream: StreamSpec) -> Iterator[tuple[str, str]]:
    """The limits that hold there although their key is empty: the directive and the key, as they are written."""
    for limit, definition in _ZONES.items():
        zones = {zone: one.args[0] for one in place[0].block or () if one.name == definition for zone in _zone(one)}
        for directive in in_effect(place, limit):
            named = _zone(directive) or directive.args[:1]
            key = zones.get(named[0]) if named else None
            if key is not None and value_of(key, place, stream) == "":
                yield limit, key


def _zone(directive: Directive) -> list[str]:
    """The name in ``zone=NAME`` or ``zone=NAME:SIZE``."""
    return [arg.removeprefix("zone=").partition(":")[0] for arg in directive.args if arg.startswith("zone=")]


def value_of(text: str, place: Place, stream: StreamSpec, depth: int = 0) -> str | None:
    """What nginx makes of ``text`` for every request of the stream; ``None`` where that is not known."""
    parts = []
    for index, part in enumerate(_VARIABLE.split(text)):
        value = _variable(part, place, stream, depth) if index % 2 else part
        if value is None:
            return None
        parts.append(value)
    return "".join(parts)


def _variable(name: str, place: Place, stream: StreamSpec, depth: int) -> str | None:
    if any(one.name in {"set", "auth_request_set"} and one.args[:1] == (f"${name}",) for one in every(place[:1])):
        return None
    headers = {key.lower().replace("-", "_"): value for key, value in stream.headers.items()}
    if name == "server_name":
        names = [one.args[0] for one in place[1].block or () if one.name == "server_name" and one.args]
        return names[0] if names else ""
    if name.startswith("http_") and name not in {"http_host", "http_connection", "http_user_agent"}:
        return headers.get(name.removeprefix("http_"), "")
    if name == "remote_user" and "authorization" not in headers:
        return ""
    if name.startswith("cookie_") and "cookie" not in headers:
        return ""
    if name.startswith("arg_") or name in {"args", "query_string"}:
        path = stream.paths.pattern if stream.paths is not None else stream.path
        return None if "?" in path else ""
    return _mapped(f"${name}", place, stream, depth)


def _mapped(variable: str, place: Place, stream: StreamSpec, depth: int) -> str | None:
    """By the one map that defines it; exact values and the default, since expressions are PCRE's."""
    maps = [one for one in place[0].block or () if one.name == "map" and one.args[1:] == (variable,)]
    if len(maps) != 1 or depth >= _DEEPEST:
        return None
    source = value_of(maps[0].args[0], place, stream, depth + 1)
    pairs = {pair.name.lower(): pair.args[0] for pair in maps[0].block or () if len(pair.args) == 1}
    if source is None or any(name.startswith("~") for name in pairs) or "include" in pairs or "hostnames" in pairs:
        return None
    chosen = pairs.get(source.lower(), pairs.get("default", ""))
    return value_of(chosen, place, stream, depth + 1)
