"""Do backends and groups of upstreams make sense together?"""

from collections.abc import Iterator, Sequence

from ngxlab.definition.problems import DefinitionProblem
from ngxlab.definition.schema.nginx import DynamicUpstreams
from ngxlab.definition.schema.upstream_servers import Backend
from ngxlab.definition.sections import Parts

Found = Iterator[tuple[str, str]]
"""Fields and messages."""


def problems(parts: Parts) -> list[DefinitionProblem]:
    found: list[tuple[str, str]] = []
    for i, backend in enumerate(parts.backends or ()):
        found += _behaviour(f"backends.{i}", backend)
    if parts.nginx is not None and parts.nginx.upstreams is not None:
        found += _upstreams("nginx.upstreams", parts.nginx.upstreams, parts.backends)
    return [DefinitionProblem(field=field, message=message) for field, message in found]


def _behaviour(field: str, backend: Backend) -> Found:
    if backend.behaviour is None and not backend.server.strip():
        yield f"{field}.server", "says nothing: give the server's directives, or a ready-made behaviour"
    elif backend.behaviour is not None and backend.server.strip():
        yield f"{field}.server", f"give either this or the behaviour {backend.behaviour.kind}, not both"


def _upstreams(field: str, upstreams: DynamicUpstreams, backends: Sequence[Backend] | None) -> Found:
    known = [backend.key for backend in backends] if backends is not None else None
    for i, group in enumerate(upstreams.groups):
        if known is not None and group.backend not in known:
            there_are = f"there are {', '.join(known)}" if known else "there is none"
            yield f"{field}.groups.{i}.backend", f"there is no backend {group.backend!r}; {there_are}"
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
    if through != "tengine" and upstreams.check:
        yield f"{field}.check", "active checks are a module of Tengine"
    for i, group in enumerate(upstreams.groups):
        if through != "tengine" and group.check:
            yield f"{field}.groups.{i}.check", "active checks are a module of Tengine"
