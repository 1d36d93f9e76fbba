"""Rules for the headers that a stream sends with each request."""

import re
from collections.abc import Iterator, Mapping

from ngxlab.core.payload import not_allowed, unshowable

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SET_BY_THE_ENGINE = {
    "connection": "is set by keep_alive: leave the header out",
    "content-length": "is set by body and body_bytes: leave the header out",
}
_HOP_BY_HOP = frozenset({"expect", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"})
"""RFC 9110, 7.6.1: about this one connection, so that a wrong one makes two servers see different requests."""


def header_problems(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The header, and what is wrong with it."""
    seen: set[str] = set()
    for name, value in headers.items():
        if (message := _problem(name, value)) is not None:
            yield name, message
        elif name.lower() in seen:
            yield name, "is given twice: upper and lower case make no difference"
        seen.add(name.lower())


def _problem(name: str, value: str) -> str | None:
    if not _NAME.fullmatch(name):
        return f"{name!r} is not a valid name of an HTTP header"
    if any(c in value for c in "\r\n"):
        return "the value of a header must be a single line"
    if (bad := unshowable(value, lines=False)) is not None:
        return not_allowed(bad)
    if name.lower() == "host" and not value.strip():
        return "must not be empty"
    if name.lower() in _HOP_BY_HOP:
        return "is about the connection, not about the request: leave the header out"
    return _SET_BY_THE_ENGINE.get(name.lower())
