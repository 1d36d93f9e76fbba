"""Where in nginx.conf a request ends up, and which directives hold there.

Locations are chosen as nginx does (ngx_http_core_module, location): an exact one, else the longest prefix, unless a
regular expression matches and that prefix does not exclude them. Rewrites and internal redirects are not followed.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from urllib.parse import unquote

from ngxlab_contracts.streams import StreamSpec
from ngxlab_policy import lua
from ngxlab_policy.fragments import with_servers
from ngxlab_policy.syntax import ConfigSyntaxError, Directive, parse

Place = Sequence[Directive]
"""The blocks around a request, from ``http`` to the innermost location."""

_LOADED = "@@http_port"


def places_of(config: str, stream: StreamSpec) -> Place | None:
    """Where a stream's requests end up, or the most frequent one of a mix; ``None`` where a script chooses them, or no
    server takes the load."""
    if stream.script is not None:
        return None
    path = stream.asked_path.replace("{n}", "0")
    return place_of(config, unquote(path.split("?")[0]))


def place_of(config: str, path: str) -> Place | None:
    try:
        directives = _parsed(config)
    except ConfigSyntaxError:
        return None
    for http in _named("http", directives):
        for server in _named("server", http.block or ()):
            if any(_LOADED in listen.args[0] for listen in _named("listen", server.block or ()) if listen.args):
                return [http, server, *_locations(server, path)]
    return None


@lru_cache(maxsize=64)
def _parsed(config: str) -> tuple[Directive, ...]:
    """Several checks ask, and all trials of an arm have the same configuration."""
    return parse(with_servers(config.removeprefix("@@modules@@\n")), lua.recognise)


def in_effect(place: Place, name: str) -> list[Directive]:
    """The directives of that name at the innermost level that has any: those of outer levels do not add to them."""
    for block in reversed(place):
        if found := _named(name, block.block or ()):
            return found
    return []


def listens(place: Place) -> list[Directive]:
    return _named("listen", place[1].block or ())


def _named(name: str, directives: Sequence[Directive]) -> list[Directive]:
    return [one for one in directives if one.name == name]


def _locations(block: Directive, path: str) -> Iterator[Directive]:
    """The location for a path, and those nested in it."""
    candidates = [one for one in _named("location", block.block or ()) if one.args and not one.args[0].startswith("@")]
    chosen = _chosen([(_kind(one), one) for one in candidates], path)
    if chosen is not None:
        yield chosen
        yield from _locations(chosen, path)


def _kind(location: Directive) -> str:
    return location.args[0] if len(location.args) > 1 else ""


def _chosen(candidates: Sequence[tuple[str, Directive]], path: str) -> Directive | None:
    exact = [one for kind, one in candidates if kind == "=" and one.args[-1] == path]
    if exact:
        return exact[0]
    prefixes = [(kind, one) for kind, one in candidates if kind in {"", "^~"} and path.startswith(one.args[-1])]
    kind, longest = max(prefixes, key=lambda pair: len(pair[1].args[-1]), default=("", None))
    if kind == "^~":
        return longest
    expressions = [one for kind, one in candidates if kind in {"~", "~*"} and _matches(one, path)]
    return expressions[0] if expressions else longest


def _matches(location: Directive, path: str) -> bool:
    kind, pattern = location.args
    try:
        return re.search(pattern, path, re.IGNORECASE if kind == "~*" else 0) is not None
    except re.error:  # PCRE knows more than Python
        return False
