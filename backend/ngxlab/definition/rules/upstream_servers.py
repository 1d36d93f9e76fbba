"""Do upstream servers and groups of upstreams make sense together?"""

from collections.abc import Iterator, Sequence

from ngxlab.definition.problems import DefinitionProblem
from ngxlab.definition.schema.nginx import DynamicUpstreams
from ngxlab.definition.schema.upstream_servers import UpstreamServer
from ngxlab.definition.sections import Sections

Found = Iterator[tuple[str, str]]
"""Fields and messages."""


def problems(sections: Sections) -> list[DefinitionProblem]:
    found: list[tuple[str, str]] = []
    for i, upstream in enumerate(sections.upstream_servers or ()):
        found += _behaviour(f"upstream_servers.{i}", upstream)
    if sections.nginx is not None and sections.nginx.upstreams is not None:
        found += _upstreams("nginx.upstreams", sections.nginx.upstreams, sections.upstream_servers)
    return [DefinitionProblem(field=field, message=message) for field, message in found]


def _behaviour(field: str, upstream: UpstreamServer) -> Found:
    if upstream.behaviour is None and not upstream.server.strip():
        yield f"{field}.server", "says nothing: give the server's directives, or a ready-made behaviour"
    elif upstream.behaviour is not None and upstream.server.strip():
        yield f"{field}.server", f"give either this or the behaviour {upstream.behaviour.kind}, not both"


def _upstreams(field: str, upstreams: DynamicUpstreams, upstream_servers: Sequence[UpstreamServer] | None) -> Found:
    known = [upstream.key for upstream in upstream_servers] if upstream_servers is not None else None
    for i, group in enumerate(upstreams.groups):
        if known is not None and group.server not in known:
            there_are = f"there are {', '.join(known)}" if known else "there is none"
            yield f"{field}.groups.{i}.server", f"there is no upstream server {group.server!r}; {there_are}"
        if group.key[0].isdigit():
            yield f"{field}.groups.{i}.key", "must begin with a letter: nginx would take it for an address"
    yield from _belongs(field, upstreams)


def _belongs(field: str, upstreams: DynamicUpstreams) -> Found:
    """What only one of the ways has."""
    through = upstreams.through
    if through != "lua" and upstreams.lock_us_per_node != 0:
        yield f"{field}.lock_us_per_node", f"is simulated by Lua; {through} has its own costs"
    if through == "reload" and upstreams.trylock:
        yield f"{field}.trylock", "belongs to lua and tengine: a reload takes no lock"
    if through != "tengine" and upstreams.health_check:
        yield f"{field}.health_check", "active health checks are a module of Tengine"
    for i, group in enumerate(upstreams.groups):
        if through != "tengine" and group.health_check:
            yield f"{field}.groups.{i}.health_check", "active health checks are a module of Tengine"
