"""Does nginx keep connections to upstream servers, where the configuration asks for it?"""

from collections.abc import Iterator
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.trials import UpstreamServerSpec
from ngxlab_policy.servers import key_of
from ngxlab_policy.syntax import Directive

from ngxlab.analysis.checks.check import Finding, TrialContext, figure, passed, trial_check, unavailable
from ngxlab.analysis.checks.ineffective import of_window
from ngxlab.analysis.checks.places import Place, in_effect, places_of
from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.summary.environment import closes_after_each
from ngxlab.analysis.summary.nginx_defaults import has_changed, version_of


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
    """Streams of requests that go to a group of declared upstream servers which does not change while nginx runs."""
    declared = [server.key for host in context.record.hosts for server in host.spec.upstream_servers]
    for stream in (one for one in context.all_streams if one.websocket is None):
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


_MAX_NEW_SHARE = 0.5
_ASK_WHOLLY = (
    "keep connections by all three: keepalive in the upstream block, proxy_http_version 1.1, and proxy_set_header "
    'Connection ""'
)
_KEEP_MORE = "raise keepalive in the upstream block to the connections that a worker has at once"
_LOOK_AT_SERVERS = "let the upstream servers keep connections: look at their keepalive_requests and keepalive_timeout"


def _upstream_keepalive(context: TrialContext) -> Finding:
    """By the connections and requests that the upstream servers counted in the window."""
    asking = [one for one in proxied(context) if _asked(one)]
    if not asking:
        return passed("no stream goes where nginx is asked to keep connections to upstream servers")
    shares = []
    for one in asking:
        seen = counted(context, one.keys)
        if seen is None or seen.requests <= 0:
            return unavailable("the upstream servers of stream {stream} counted no request", stream=one.stream.key)
        share = seen.connections / seen.requests
        if share > _MAX_NEW_SHARE:
            return _not_kept(context, one, share)
        shares.append(share)
    return passed(
        "upstream servers accepted {percent} new connections for 100 requests at most",
        percent=figure(100 * max(shares)),
    )


def _asked(one: Proxied) -> bool:
    """By a connection cache, or by what is said to the servers."""
    return _cache(one.group) is not None or (
        words(one.place, "proxy_http_version") == ["1.1"] and _connection_header(one.place) == ""
    )


def _cache(group: Directive) -> Directive | None:
    return next((one for one in group.block or () if one.name == "keepalive" and one.args[:1] != ("0",)), None)


def _connection_header(place: Place) -> str | None:
    """The header Connection that is set; ``None`` where none is."""
    found = (one.args for one in in_effect(place, "proxy_set_header") if len(one.args) == 2)
    return next((value for name, value in found if name.lower() == "connection"), None)


def _not_kept(context: TrialContext, one: Proxied, share: float) -> Finding:
    reason, remedy = _reason(context, one)
    seen = say(
        "the upstream servers of stream {stream} accepted {percent} new connections for 100 requests, although nginx "
        "is asked to keep them: {reason}",
        stream=one.stream.key,
        percent=figure(100 * share),
        reason=reason,
    )
    return Finding("warning", seen, remedy)


def _reason(context: TrialContext, one: Proxied) -> tuple[Sentence, str]:
    """What the configurations say of it; nginx's own defaults by its version."""
    by_default = has_changed("keepalive", version_of(context.summary.nginx_build))
    if _cache(one.group) is None and not by_default:
        return say("upstream {name} has no keepalive", name=one.group.args[0]), _ASK_WHOLLY
    version = (words(one.place, "proxy_http_version") or ["1.1" if by_default else "1.0"])[0]
    if version == "1.0":
        return say("nginx speaks HTTP/1.0 to them: proxy_http_version"), _ASK_WHOLLY
    header = _connection_header(one.place)
    if header is None and not by_default:
        return say("nginx sends them Connection: close, its default"), _ASK_WHOLLY
    if header:
        return say("nginx sends them Connection: {header}", header=header), _ASK_WHOLLY
    if any(closes_after_each(server.config) for _, server in servers_of(context, one.keys)):
        return say("they close each connection after one request"), _LOOK_AT_SERVERS
    kept = _cache(one.group)
    number = int(kept.args[0]) if kept is not None and kept.args[0].isdigit() else 0
    busy = sum(stream.connections for stream in context.all_streams) / context.host.nginx.workers
    if 0 < number < busy:
        reason = say(
            "a worker keeps {number} idle connections, and has up to {busy:.0f} clients at once",
            number=number,
            busy=busy,
        )
        return reason, _KEEP_MORE
    return say("the configuration does not tell why"), _LOOK_AT_SERVERS


UPSTREAM_KEEPALIVE = trial_check(
    "upstream-keepalive",
    of_window(_upstream_keepalive),
    _ASK_WHOLLY,
    _KEEP_MORE,
    _LOOK_AT_SERVERS,
    max_new_percent=100 * _MAX_NEW_SHARE,
)
