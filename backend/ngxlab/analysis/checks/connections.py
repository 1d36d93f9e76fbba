"""Rules about connections: were those open that were planned, and were they kept?"""

from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.checks.perturbed import renewed_connections
from ngxlab.analysis.records.stream_spans import active_span, busiest

_MAX_ACCEPT_SHARE = 0.01


def concurrency(context: TrialContext) -> Finding:
    """Connections that the generators really hold: wrk drops the remainder of c / t, and never retries a failed
    connect."""
    return _uneven(context) or _failed(context) or _established(context)


def _uneven(context: TrialContext) -> Finding | None:
    found = ((host, stream) for host in context.record.hosts for stream in host.spec.streams)
    for host, stream in found:
        if stream.engine == "wrk" and stream.connections % stream.threads:
            where = f" on {context.name(host)}" if context.several_hosts else ""
            opened = stream.connections - stream.connections % stream.threads
            message = f"stream {stream.key}{where}: {stream.connections} connections over {stream.threads} threads "
            message += f"leave a remainder, which wrk drops: {opened} are opened"
            return Finding("error", message, "let connections be a multiple of threads")
    return None


def _failed(context: TrialContext) -> Finding | None:
    failed = {
        context.name(host): sum(stream.errors.connect for stream in context.on(host).own_streams if stream.errors)
        for host in context.record.loading
    }
    if not any(failed.values()):
        return None
    message = f"{sum(failed.values())} connections failed to open"
    if context.several_hosts:
        message += f" ({', '.join(f'{name}: {count}' for name, count in failed.items() if count)})"
    return Finding("error", message, "look at the listen queue and at the limits on descriptors and ports")


def _established(context: TrialContext) -> Finding:
    """In the stretch of the window in which the most connections of all hosts' streams are planned at once."""
    host, timing = context.host, context.host.spec.timing
    active = [stream for stream in context.all_streams if active_span(stream, timing) is not None]
    busy = busiest(active, timing)
    if busy is None:
        return passed("no stream runs within the window")
    planned = busy.connections
    if not _kept_alive(active):
        return passed(f"{planned} connections asked for, none failed to open; they are renewed with each request")
    stretch = host.during(busy.span)
    series = host.series.find("nginx_connections_active")
    median = series[0].median(stretch) if series and stretch is not None else None
    if median is None:
        return unavailable("nginx's count of active connections was not read in the window")
    seen = f"{median - 1:.0f} connections were open (median), {planned} planned"
    if abs(median - 1 - planned) > max(1, 0.01 * planned):
        return Finding("error", seen, "see whether nginx or the generator ran out of connections or descriptors")
    return passed(seen)


def keepalive_requests(context: TrialContext) -> Finding:
    if not _kept_alive(context.all_streams):
        return passed("does not apply: the stream closes its connections on purpose")
    nginx = context.summary.nginx
    if nginx is None:
        return unavailable("nginx's counters were not read twice in the window")
    if nginx.requests == 0:
        return unavailable("nginx counted no request in the window")
    share, renewed = nginx.accepts / nginx.requests, renewed_connections(context)
    seen = f"{nginx.accepts:,} connections accepted for {nginx.requests:,} requests ({100 * share:.2g} %)"
    if renewed:
        seen += f", up to {renewed:,} of them because perturbations ended their workers"
    if nginx.accepts - renewed > _MAX_ACCEPT_SHARE * nginx.requests:
        mend = "raise keepalive_requests (1000 by default), or nginx closes the connections of a keep-alive test"
        return Finding("warning", seen, mend)
    return passed(seen)


def _kept_alive(streams: list[StreamSpec]) -> bool:
    return all(stream.keep_alive for stream in streams)
