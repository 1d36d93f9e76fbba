"""Rules about the load of one host: its generators, their errors."""

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.schemas import ErrorSummary

_SATURATED_CORES = 0.90
_MAX_ERROR_PERCENT = 0.1


def saturated(context: TrialContext) -> Finding:
    """Each stream's threads over the stream's own time within the window."""
    host = context.host
    if host.window is None:
        return unavailable("the trial has no measured window")
    active = {stream.key: window for stream in host.spec.streams if (window := host.active_window(stream))}
    if not active:
        return passed("no stream of this host runs within the window")
    used = [
        (increase.per_second, stream)
        for stream, window in active.items()
        for one in host.series.find("ngxlab_thread_run_seconds_total", role="generator", stream=stream)
        if (increase := one.increase(window)) is not None
    ]
    if len({stream for _, stream in used}) < len(active):
        return unavailable("no CPU time of the generator's threads was read (needs /proc/PID/task/*/schedstat)")
    busiest, stream = max(used)
    whose = f" (stream {stream})" if len(context.all_streams) > 1 else ""
    seen = f"the busiest of {len(used)} generator threads used {100 * busiest:.0f} % of a core{whose}"
    if busiest > _SATURATED_CORES:
        mend = "give the stream more threads or a host of its own: what was measured may be the generator"
        return Finding("error", seen, mend)
    return passed(seen)


def timeouts(context: TrialContext) -> Finding:
    errors = _errors(context)
    if errors is None:
        return unavailable("a generator gave no report")
    count = sum(error.timeout for error in errors)
    if count:
        message = f"{count} requests timed out and are missing from the latencies: the percentiles are truncated"
        return Finding("error", message, "raise the stream's timeout, or lower the load")
    return passed("no request timed out")


def errors(context: TrialContext) -> Finding:
    found = _errors(context)
    if found is None:
        return unavailable("a generator gave no report")
    shares = [error.share_percent for error in found if error.share_percent is not None]
    if not shares:
        return Finding("error", "no request was answered", "look at nginx's error log among the artefacts")
    socket_errors = sum(error.connect + error.read + error.write + error.timeout + error.garbage for error in found)
    status = sum(error.status for error in found)
    seen = f"{socket_errors} socket errors and {status} responses other than 2xx/3xx ({max(shares):.2g} %)"
    if max(shares) > _MAX_ERROR_PERCENT:
        return Finding(
            "error", seen, "look at nginx's error log among the artefacts; errors are often faster than answers"
        )
    return passed(seen)


def coordinated_omission(context: TrialContext) -> Finding:
    closed = [stream.key for stream in context.all_streams if stream.engine != "open-loop"]
    if not closed:
        return passed("latency counts from the intended instant: what a stall delays is in it")
    whose = "latencies" if len(closed) == len(context.all_streams) else f"latencies of {', '.join(closed)}"
    message = f"{whose} are service times under a closed loop: a stalled server is asked less, and looks better"
    return Finding("info", message, "read them as such; what users would wait needs a constant rate")


def _errors(context: TrialContext) -> list[ErrorSummary] | None:
    """``None`` unless every generator of this host has had a last word."""
    found = [stream.errors for stream in context.own_streams if stream.errors is not None]
    return found if found and len(found) == len(context.own_streams) else None
