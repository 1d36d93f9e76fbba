"""Were the planned connections open, did nginx keep them, and had clients ports for them?"""

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.checks.check import Finding, TrialContext, figure, passed, trial_check, unavailable
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.checks.perturbations import renewed_connections
from ngxlab.analysis.records.stream_spans import active_span, busiest
from ngxlab.analysis.summary.environment import closes_after_each

_ERROR_LOG = "error.log"
_MAX_SHARE = 0.5
_WIDEN_RANGE = "widen net.ipv4.ip_local_port_range, keep connections alive, or wait longer between trials"


def _ports(context: TrialContext) -> Finding:
    window, inventory = context.host.window, context.host.inventory
    limits = inventory.limits.get("ip_local_port_range", "").split() if inventory is not None else []
    series = context.host.series.find("node_sockstat_TCP_tw")
    most = series[0].maximum(window) if series and window is not None else None
    if len(limits) != 2 or not all(limit.isdigit() for limit in limits) or most is None:
        return unavailable("the number of sockets in TIME-WAIT or the range of local ports was not read")
    available = int(limits[1]) - int(limits[0]) + 1
    seen = say("at most {most:,.0f} sockets in TIME-WAIT, {available:,} local ports", most=most, available=available)
    crowded, refused = most > _MAX_SHARE * available, _logged(context)
    if _failed_to_connect(context) and most + _planned(context) > _MAX_SHARE * available:
        return Finding("error", say("{seen}, and a generator failed to connect", seen=seen), _WIDEN_RANGE)
    if crowded and not refused and _closed_by_nginx(context):
        return Finding(
            "info", say("{seen}: nginx closed these connections, and its end of them occupies no local port", seen=seen)
        )
    if refused:
        return Finding("error", say("{seen}, and nginx found none free", seen=seen), _WIDEN_RANGE)
    if crowded:
        return Finding("warning", say("{seen}; no connection failed for want of one", seen=seen), _WIDEN_RANGE)
    return passed(seen)


def _closed_by_nginx(context: TrialContext) -> bool:
    """Whether nginx closed all connections of this host: TIME-WAIT is on the side that closes first."""
    spec = context.host.spec
    if spec.nginx is None or spec.nginx.upstream_servers:
        return False
    return closes_after_each(spec.nginx.config) or not any(one.keep_alive for one in context.all_streams)


def _logged(context: TrialContext) -> bool:
    log = context.host.artefact(_ERROR_LOG)
    return log is not None and "Cannot assign requested address" in log.text


def _failed_to_connect(context: TrialContext) -> bool:
    """Whether a generator of this host did: beside scarce ports they are the likely reason, whoever closed what."""
    return any(stream.errors.connect > 0 for stream in context.own_streams if stream.errors is not None)


def _planned(context: TrialContext) -> int:
    """Connections of this host's generators that share its range of ports: all have the same two addresses."""
    streams = (one for one in context.host.spec.streams if not ENGINES[one.engine].uses_all_addresses)
    return sum(stream.connections for stream in streams)


PORTS = trial_check("ports", every_host(_ports), _WIDEN_RANGE, max_percent=100 * _MAX_SHARE)


_MAX_MISSING_SHARE = 0.01
_MAX_ACCEPT_SHARE = 0.01
_MULTIPLE = "let connections be a multiple of threads"
_LOOK_AT_QUEUE = "look at the listen queue, and at the limits on descriptors and ports"
_LOOK_AT_LIMITS = "see whether nginx or the generator ran out of connections or descriptors"
_RAISE_KEEPALIVE = "raise keepalive_requests (1000 by default): beyond it nginx closes a connection"


def _concurrency(context: TrialContext) -> Finding:
    """Whether the generators hold as many connections as planned.

    An engine may drop the remainder of connections / threads; none retries a failed connect.
    """
    return _uneven(context) or _failed(context) or _established(context)


def _uneven(context: TrialContext) -> Finding | None:
    streams = ((host, stream) for host in context.record.hosts for stream in host.spec.streams)
    for host, stream in streams:
        opened = ENGINES[stream.engine].opened(stream.connections, stream.threads)
        if opened < stream.connections:
            where = say(" on {name}", name=context.name(host)) if context.several_hosts else ""
            message = say(
                "stream {stream}{where}: {connections} connections over {threads} threads leave a "
                "remainder, which {engine} drops: {opened} are opened",
                stream=stream.key,
                where=where,
                connections=stream.connections,
                threads=stream.threads,
                engine=stream.engine,
                opened=opened,
            )
            return Finding("error", message, _MULTIPLE)
    return None


def _failed(context: TrialContext) -> Finding | None:
    failed = {
        context.name(host): sum(stream.errors.connect for stream in context.on(host).own_streams if stream.errors)
        for host in context.record.loading
    }
    if not any(failed.values()):
        return None
    counts = listed(say("{host}: {count}", host=name, count=count) for name, count in failed.items() if count)
    where = say(" ({counts})", counts=counts) if context.several_hosts else ""
    return Finding(
        "error",
        say("{count} connections failed to open{where}", count=sum(failed.values()), where=where),
        _LOOK_AT_QUEUE,
    )


def _established(context: TrialContext) -> Finding:
    """Checked in the part of the window for which the plan has the most connections open at once."""
    host, timing = context.host, context.host.spec.timing
    active = [stream for stream in context.all_streams if active_span(stream, timing) is not None]
    busy = busiest(active, timing)
    if busy is None:
        return passed("no stream runs within the window")
    planned = busy.connections
    if not _kept_alive(active) or closes_after_each(host.nginx.config):
        return passed(
            "{planned} connections planned, none failed to open; each request opens a new one", planned=planned
        )
    if any(stream.client is not None and stream.client.abort_percent for stream in active):
        return passed(
            "{planned} connections planned, none failed to open; clients that go away open others", planned=planned
        )
    stretch = host.during(busy.span)
    series = host.series.find("nginx_connections_active")
    median = series[0].median(stretch) if series and stretch is not None else None
    if median is None:
        return unavailable("nginx's count of active connections was not read in the window")
    seen = say("{median:.0f} connections were open (median), {planned} planned", median=median - 1, planned=planned)
    tolerated, more = max(1, _MAX_MISSING_SHARE * planned), median - 1 - planned
    counts_requests = any(stream.protocol == "http/3" for stream in active)  # nginx counts each as a connection, too
    if counts_requests and (missing := _missing_by_generators(context)):
        return Finding("error", missing, _LOOK_AT_LIMITS)
    if more < -tolerated or (more > tolerated and not counts_requests):
        return Finding("error", seen, _LOOK_AT_LIMITS)
    return passed(seen)


def _missing_by_generators(context: TrialContext) -> Sentence | None:
    """Where a generator of HTTP/3 had fewer connections open than planned, by its own count."""
    for host in context.record.hosts:
        for stream in host.spec.streams:
            span = active_span(stream, host.spec.timing) if stream.protocol == "http/3" else None
            stretch = host.during(span) if span is not None else None
            series = host.series.find("ngxlab_stream_connections", stream=stream.key)
            median = series[0].median(stretch) if series and stretch is not None else None
            if median is not None and stream.connections - median > max(1, _MAX_MISSING_SHARE * stream.connections):
                return say(
                    "stream {stream}: {median:.0f} connections were open by the generator's count (median), "
                    "{planned} planned",
                    stream=stream.key,
                    median=median,
                    planned=stream.connections,
                )
    return None


def _keepalive(context: TrialContext) -> Finding:
    if not _kept_alive(context.all_streams):
        return passed("does not apply: a stream closes its connections on purpose")
    if closes_after_each(context.host.nginx.config):
        return passed("does not apply: the configuration closes each connection after one request")
    if any(stream.websocket is not None for stream in context.all_streams):
        return passed("does not apply: to nginx, a WebSocket is one request")
    nginx = context.summary.nginx
    if nginx is None:
        return unavailable("nginx's counters were not read twice in the window")
    if nginx.requests == 0:
        return unavailable("nginx counted no request in the window")
    share, renewed = nginx.accepts / nginx.requests, renewed_connections(context)
    seen = say(
        "{accepts:,} connections accepted for {requests:,} requests ({percent} %)",
        accepts=nginx.accepts,
        requests=nginx.requests,
        percent=figure(100 * share),
    )
    if renewed:
        seen = say(
            "{seen}, up to {renewed:,} of them because perturbations replaced the workers that held them",
            seen=seen,
            renewed=renewed,
        )
    if nginx.accepts - renewed > _MAX_ACCEPT_SHARE * nginx.requests:
        return Finding("warning", seen, _RAISE_KEEPALIVE)
    return passed(seen)


def _kept_alive(streams: list[StreamSpec]) -> bool:
    return all(stream.keep_alive for stream in streams)


CONCURRENCY = trial_check(
    "concurrency",
    _concurrency,
    _MULTIPLE,
    _LOOK_AT_QUEUE,
    _LOOK_AT_LIMITS,
    max_missing_percent=100 * _MAX_MISSING_SHARE,
)
KEEPALIVE_REQUESTS = trial_check(
    "keepalive-requests", _keepalive, _RAISE_KEEPALIVE, max_accept_percent=100 * _MAX_ACCEPT_SHARE
)
