"""Rules for upstream servers and upstream groups together."""

from collections.abc import Iterator, Sequence

from ngxlab.definition.problems import DefinitionProblem, unknown
from ngxlab.definition.schema.nginx import DynamicUpstreams
from ngxlab.definition.schema.upstream_servers import UpstreamServer
from ngxlab.definition.sections import Sections

Messages = Iterator[tuple[str, str]]
"""Fields and messages."""


def problems(sections: Sections) -> list[DefinitionProblem]:
    messages: list[tuple[str, str]] = []
    for i, upstream in enumerate(sections.upstream_servers or ()):
        messages += _behaviour(f"upstream_servers.{i}", upstream)
    if sections.nginx is not None and sections.nginx.upstreams is not None:
        messages += _upstreams("nginx.upstreams", sections.nginx.upstreams, sections.upstream_servers)
    return [DefinitionProblem(field=field, message=message) for field, message in messages]


def _behaviour(field: str, upstream: UpstreamServer) -> Messages:
    if upstream.behaviour is None and not upstream.server.strip():
        yield f"{field}.server", "is empty: give the server's directives, or a ready-made behaviour"
    elif upstream.behaviour is not None and upstream.server.strip():
        yield f"{field}.server", f"give either this or the behaviour {upstream.behaviour.kind}, not both"


def _upstreams(field: str, upstreams: DynamicUpstreams, upstream_servers: Sequence[UpstreamServer] | None) -> Messages:
    keys = [upstream.key for upstream in upstream_servers] if upstream_servers is not None else None
    tls = {upstream.key for upstream in upstream_servers or () if upstream.tls}
    for i, group in enumerate(upstreams.groups):
        if group.server in tls:
            yield (
                f"{field}.groups.{i}.server",
                f"{group.server} has tls, but groups that change are asked by plain HTTP",
            )
        if keys is not None and group.server not in keys:
            yield f"{field}.groups.{i}.server", unknown("upstream server", group.server, keys)
        if group.key[0].isdigit():
            yield f"{field}.groups.{i}.key", "must begin with a letter: nginx would read it as an address"
    yield from _belongs(field, upstreams)


def _belongs(field: str, upstreams: DynamicUpstreams) -> Messages:
    """Settings that only one value of ``through`` supports."""
    through = upstreams.through
    if through != "lua" and upstreams.lock_us_per_node != 0:
        yield f"{field}.lock_us_per_node", f"needs through: lua, which simulates it; {through} has its own costs"
    if through == "reload" and upstreams.trylock:
        yield f"{field}.trylock", "needs through: lua or tengine; a reload takes no lock"
    if through != "tengine" and upstreams.health_check:
        yield f"{field}.health_check", "needs through: tengine; active health checks are a module of Tengine"
    for i, group in enumerate(upstreams.groups):
        if through != "tengine" and group.health_check:
            yield f"{field}.groups.{i}.health_check", "needs through: tengine, which has active health checks"
