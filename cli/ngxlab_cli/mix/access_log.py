"""Lines of an access log, by nginx's ``log_format`` or as JSON: what was asked, and how it was answered.

The browser reads logs alike (``frontend/src/domain/mix/accessLog.ts``).
"""

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from ngxlab_cli.errors import UsageError

COMBINED = '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent'
"""What follows in nginx's ``combined``, referer and user agent, is not read; ``common`` ends here."""
LONGEST_LINE = 65_536

_NAMES: Mapping[str, tuple[str, ...]] = {
    "request": ("request",),
    "method": ("request_method", "method", "http_method"),
    "uri": ("request_uri", "uri", "path", "url"),
    "status": ("status", "status_code", "response_code"),
    "size": ("body_bytes_sent", "bytes_sent", "bytes", "size", "response_size"),
    "time": ("msec", "time_iso8601", "time_local", "time", "timestamp", "@timestamp", "ts"),
    "took": ("request_time",),
}
"""Names of variables and of JSON's members for what is read, the first that is there."""
_ASKED = re.compile(r"([A-Z]{1,20}) (\S+)(?: HTTP/[0-9.]+)?")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_DECLARED = re.compile(r"\s*log_format\s+\S+\s+(?:escape=\w+\s+)?(.*?);?\s*", re.DOTALL)
_LOCAL_TIME = re.compile(r"(\d\d)/([A-Z][a-z][a-z])/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d\d)(\d\d)")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()  # noqa: SIM905


class Line(NamedTuple):
    """What a line says. ``uri``: as it was asked. ``size``: of the body, in bytes. ``time``: as it is written, at the
    request's end. ``took``: seconds until then."""

    method: str
    uri: str
    status: int
    size: int | None
    time: str
    took: float | None


Reader = Callable[[str], Line | None]
"""``None``: the line is none of the format, or no request."""


def reader(log_format: str | None, first_line: str) -> Reader:
    """``log_format``: nginx's directive, its text, ``combined`` or ``json``; without it, the first line tells.

    Raises ``UsageError`` where a format does not tell what was asked.
    """
    if log_format == "json" or (log_format is None and first_line.lstrip().startswith("{")):
        return _of_json
    return _of_format(COMBINED if log_format in {None, "combined"} else _text_of(log_format or ""))


def _text_of(log_format: str) -> str:
    """The format itself, out of the directive that declares it."""
    declared = _DECLARED.fullmatch(log_format)
    if declared is None:
        return log_format
    pieces = [match[1] if match[1] is not None else match[2] for match in _QUOTED.finditer(declared[1])]
    return re.sub(r"\\(.)", r"\1", "".join(pieces)) if pieces else declared[1]


def _of_format(text: str) -> Reader:
    if text.lstrip().startswith("{"):
        return _of_json  # log_format escape=json '{"…": "$…"}'
    expression, names = _expression(text)
    places = {name: names.index(own) for name, known in _NAMES.items() for own in known[:1] if own in names}
    for name, known in _NAMES.items():
        found = next((own for own in known if own in names), None)
        if found is not None:
            places[name] = names.index(found)
    if "request" not in places and "uri" not in places:
        raise UsageError("the format does not say what was asked: it needs $request or $request_uri")

    def read(line: str) -> Line | None:
        match = expression.match(line)
        return _line({name: match[place + 1] for name, place in places.items()}) if match is not None else None

    return read


def _expression(text: str) -> tuple[re.Pattern[str], list[str]]:
    """The format as an expression with a group for each variable, in their order."""
    parts, names, at = ["^"], [], 0
    for match in _VARIABLE.finditer(text):
        parts.append(re.escape(text[at : match.start()]))
        names.append(match[1] or match[2])
        at = match.end()
        parts.append(f"({_until(text[at : at + 1])})")
    parts.append(re.escape(text[at:]))
    return re.compile("".join(parts)), names


def _until(following: str) -> str:
    """What a variable may be before that character; several values of one are apart by ``, `` or `` : ``."""
    if following in {"", "$"}:
        return r"\S*"
    if following == " ":
        return r"[^ ]*(?:(?:,| :) [^ ]*)*"
    return rf"(?:[^{re.escape(following)}\\]|\\.)*"


def _of_json(line: str) -> Line | None:
    try:
        said = json.loads(line)
    except ValueError:
        return None
    if not isinstance(said, dict):
        return None
    return _line({name: _first(said, known) for name, known in _NAMES.items()})


def _first(said: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first member that is there, as text."""
    found = next((said[name] for name in names if isinstance(said.get(name), str | int | float)), "")
    return str(found)


def _line(said: Mapping[str, str]) -> Line | None:
    method, uri = said.get("method", ""), said.get("uri", "")
    asked = _ASKED.fullmatch(said.get("request", ""))
    if asked is not None:
        method, uri = method or asked[1], asked[2]
    status, size, took = said.get("status", ""), said.get("size", ""), said.get("took", "")
    if not re.fullmatch(r"[A-Z]{1,20}", method or "GET") or not uri:
        return None
    return Line(
        method or "GET",
        uri,
        int(status) if re.fullmatch(r"\d{3}", status) else 0,
        int(size) if re.fullmatch(r"\d{1,15}", size) else None,
        said.get("time", ""),
        float(took) if re.fullmatch(r"\d{1,6}(\.\d+)?", took) else None,
    )


def seconds_of(time: str) -> float | None:
    """Seconds since 1970 of nginx's ``$time_local``, ``$time_iso8601`` or ``$msec``; ``None`` for anything else."""
    local = _LOCAL_TIME.fullmatch(time)
    if local is not None and local[2] in _MONTHS:
        month = _MONTHS.index(local[2]) + 1
        time = f"{local[3]}-{month:02d}-{local[1]}T{local[4]}:{local[5]}:{local[6]}{local[7]}:{local[8]}"
    elif re.fullmatch(r"\d{9,11}(\.\d+)?", time):
        return float(time)
    elif not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)", time):
        return None
    try:
        return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return None
