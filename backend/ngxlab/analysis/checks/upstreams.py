"""The upstream servers behind a stream's requests, and what they counted in the measured window."""

from collections.abc import Iterator
from typing import NamedTuple

from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.trials import UpstreamServerSpec
from ngxlab_policy.servers import key_of
from ngxlab_policy.syntax import Directive

from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.places import Place, in_effect, places_of
from ngxlab.analysis.records import HostRecord


class Proxied(NamedTuple):
    """A stream whose requests nginx passes on. ``group``: the upstream block that it names."""

    stream: StreamSpec
    place: Place
    group: Directive
    keys: frozenset[str]


class Counted(NamedTuple):
    """By the servers' own counters, less the agent's polls."""

    connections: float
    requests: float


def proxied(context: TrialContext) -> Iterator[Proxied]:
    """Streams that go to a group of declared upstream servers which does not change while nginx runs."""
    declared = [server.key for host in context.record.hosts for server in host.spec.upstream_servers]
    for stream in context.all_streams:
        place = places_of(context.host.nginx.config, stream)
        group = _group(place) if place is not None else None
        if place is None or group is None:
            continue
        places = [one.args[0].strip("@") for one in group.block or () if one.name == "server" and one.args]
        keys = frozenset(key for name in places if (key := key_of(name, declared)) is not None)
        if keys:
            yield Proxied(stream, place, group, keys)


def _group(place: Place) -> Directive | None:
    """The upstream block that the innermost location passes to: ``proxy_pass`` is not inherited."""
    passes = [one.args[0] for one in place[-1].block or () if one.name == "proxy_pass" and one.args]
    name = passes[0].partition("://")[2].partition("/")[0] if passes else ""
    return next((one for one in place[0].block or () if one.name == "upstream" and one.args == (name,)), None)


def servers_of(context: TrialContext, keys: frozenset[str]) -> list[tuple[HostRecord, UpstreamServerSpec]]:
    return [
        (host, server) for host in context.record.hosts for server in host.spec.upstream_servers if server.key in keys
    ]


def counted(context: TrialContext, keys: frozenset[str]) -> Counted | None:
    """What all of these servers counted; ``None`` where one of them has no counters."""
    connections = requests = 0.0
    for host, server in servers_of(context, keys):
        accepted = _increase(host, "upstream_connections_accepted_total", server.key)
        asked = _increase(host, "upstream_http_requests_total", server.key)
        polls = _increase(host, "upstream_stub_status_polls_total", server.key)
        if accepted is None or asked is None or polls is None:
            return None
        connections, requests = connections + accepted, requests + asked - polls
    return Counted(connections, requests)


def _increase(host: HostRecord, name: str, key: str) -> float | None:
    series = host.series.find(name, upstream=key)
    grown = series[0].increase(host.window) if series and host.window is not None else None
    return grown.amount if grown is not None else None


def words(place: Place, name: str) -> list[str]:
    """The first argument of each directive of that name that holds there."""
    return [one.args[0] for one in in_effect(place, name) if one.args]
