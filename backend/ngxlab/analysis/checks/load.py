"""Rules about the load: generator, errors, concurrency, accounting."""

from ngxlab.analysis.checks.result import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.schemas import ErrorSummary

_SATURATED_CORES = 0.90
_MAX_ERROR_PERCENT = 0.1
_MAX_DISAGREEMENT_PERCENT = 1.0
_MAX_ACCEPT_SHARE = 0.01


def generator_saturated(context: TrialContext) -> Finding:
    window = context.host.window
    if window is None:
        return unavailable("the trial has no measured window")
    series = context.host.series.find("ngxlab_thread_run_seconds_total", role="generator")
    increases = [increase for one in series if (increase := one.increase(window)) is not None]
    if not increases:
        return unavailable("no CPU time of the generator's threads was read (needs /proc/PID/task/*/schedstat)")
    busiest = max(increase.per_second for increase in increases)
    seen = f"the busiest of {len(increases)} generator threads used {100 * busiest:.0f} % of a core"
    if busiest > _SATURATED_CORES:
        mend = "give the stream more threads or a host of its own: what was measured may be the generator"
        return Finding("error", seen, mend)
    return passed(seen)


def timeouts(context: TrialContext) -> Finding:
    errors = _errors(context)
    if errors is None:
        return unavailable("wrk printed no report")
    count = sum(error.timeout for error in errors)
    if count:
        message = f"{count} requests timed out and are missing from the latencies: the percentiles are truncated"
        return Finding("error", message, "raise the stream's timeout, or lower the load")
    return passed("no request timed out")


def errors(context: TrialContext) -> Finding:
    found = _errors(context)
    if found is None:
        return unavailable("wrk printed no report")
    shares = [error.share_percent for error in found if error.share_percent is not None]
    if not shares:
        return Finding("error", "no request was answered", "look at nginx's error log among the artefacts")
    socket_errors = sum(error.connect + error.read + error.write + error.timeout for error in found)
    status = sum(error.status for error in found)
    seen = f"{socket_errors} socket errors and {status} responses other than 2xx/3xx ({max(shares):.2g} %)"
    if max(shares) > _MAX_ERROR_PERCENT:
        return Finding(
            "error", seen, "look at nginx's error log among the artefacts; errors are often faster than answers"
        )
    return passed(seen)


def concurrency(context: TrialContext) -> Finding:
    """Connections that wrk really holds: it drops the remainder of c / t, and never retries a failed connect."""
    streams = context.host.spec.streams
    uneven = [stream for stream in streams if stream.connections % stream.threads]
    if uneven:
        first = uneven[0]
        message = (
            f"stream {first.key}: {first.connections} connections over {first.threads} threads leave a remainder, "
        )
        message += f"which wrk drops: {first.connections - first.connections % first.threads} are opened"
        return Finding("error", message, "let connections be a multiple of threads")
    failed = sum(error.connect for error in _errors(context) or [])
    if failed:
        message = f"{failed} connections failed to open and wrk does not retry them"
        return Finding("error", message, "look at the listen queue and at the limits on descriptors and ports")
    return _established(context)


def _established(context: TrialContext) -> Finding:
    window, streams = context.host.window, context.host.spec.streams
    planned = sum(stream.connections for stream in streams)
    if not all(stream.keep_alive for stream in streams):
        return passed(f"{planned} connections asked for, none failed to open; they are renewed with each request")
    series = context.host.series.find("nginx_connections_active")
    active = series[0].median(window) if series and window is not None else None
    if active is None:
        return unavailable("nginx's count of active connections was not read in the window")
    seen = f"{active - 1:.0f} connections were open (median), {planned} planned"
    if abs(active - 1 - planned) > max(1, 0.01 * planned):
        return Finding("error", seen, "see whether nginx or the generator ran out of connections or descriptors")
    return passed(seen)


def accounting(context: TrialContext) -> Finding:
    accounts = [stream.accounting for stream in context.summary.streams if stream.accounting is not None]
    shares = [one.max_disagreement_percent for one in accounts if one.max_disagreement_percent is not None]
    if not shares or len(shares) < len(context.summary.streams):
        return unavailable("fewer than two counts of the requests are known")
    counts = [
        f"{name} {value:,}"
        for one in accounts
        for name, value in (
            ("live", one.live_requests),
            ("printed", one.printed_requests),
            ("nginx", one.stub_requests),
        )
        if value is not None
    ]
    seen = f"the counts differ by {max(shares):.2f} % at most ({', '.join(counts)})"
    if max(shares) > _MAX_DISAGREEMENT_PERCENT:
        return Finding("error", seen, "something else sends requests to this nginx, or a counter was read wrongly")
    return passed(seen)


def keepalive_requests(context: TrialContext) -> Finding:
    if not all(stream.keep_alive for stream in context.host.spec.streams):
        return passed("does not apply: the stream closes its connections on purpose")
    nginx = context.summary.nginx
    if nginx is None:
        return unavailable("nginx's counters were not read twice in the window")
    if nginx.requests == 0:
        return unavailable("nginx counted no request in the window")
    share = nginx.accepts / nginx.requests
    seen = f"{nginx.accepts:,} connections accepted for {nginx.requests:,} requests ({100 * share:.2g} %)"
    if share > _MAX_ACCEPT_SHARE:
        mend = "raise keepalive_requests (1000 by default), or nginx closes the connections of a keep-alive test"
        return Finding("warning", seen, mend)
    return passed(seen)


def coordinated_omission(context: TrialContext) -> Finding:
    closed = [stream.key for stream in context.host.spec.streams if stream.engine == "wrk"]
    if not closed:
        return passed("the load is an open loop")
    message = "latencies are service times under a closed loop: a stalled server is asked less, and looks better"
    return Finding("info", message, "read them as such; what users would wait needs a constant rate")


def _errors(context: TrialContext) -> list[ErrorSummary] | None:
    """``None`` unless every stream has printed."""
    found = [stream.errors for stream in context.summary.streams if stream.errors is not None]
    return found if found and len(found) == len(context.summary.streams) else None
