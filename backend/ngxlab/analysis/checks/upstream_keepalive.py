"""Does nginx keep connections to upstream servers, where the configuration asks for it?"""

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_policy.syntax import Directive

from ngxlab.analysis.checks.check import trial_check
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.finding import Finding, figure, passed, unavailable
from ngxlab.analysis.checks.ineffective import of_window
from ngxlab.analysis.checks.places import Place, in_effect
from ngxlab.analysis.checks.upstreams import Proxied, counted, proxied, servers_of, words
from ngxlab.analysis.summary.environment import closes_after_each
from ngxlab.analysis.summary.nginx_defaults import has_changed, version_of

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
