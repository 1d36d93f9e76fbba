"""Rules about generators that follow a schedule."""

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.schemas import StreamSummary

_LEAST_SENT = 0.99
_LONGEST_BACKLOG_S = 1.0
_OWN_ERROR_US = 1000
_OWN_SHARE = 0.1


def behind(context: TrialContext) -> Finding:
    """An open loop that does not send what it intended measures a lighter load than its plan's."""
    if context.host.window is None:
        return unavailable("the trial has no measured window")
    streams = [stream for stream in context.own_streams if stream.engine == "open-loop" and stream.active_s]
    if not streams:
        return passed("does not apply: no open loop runs within the window")
    for finding in (_not_sent, _waiting, _late):
        for stream in streams:
            found = finding(stream)
            if found is not None:
                return found
    counted = [stream for stream in streams if stream.intended and stream.sent is not None]
    if len(counted) < len(streams):
        return unavailable("what the engine intended and sent was not read in the window")
    least = min(100 * (stream.sent or 0) / (stream.intended or 1) for stream in counted)
    late = [stream.schedule.p99_us for stream in streams if stream.schedule is not None]
    itself = f", the generator itself late by {max(late) / 1000:.2g} ms at most (p99)" if late else ""
    return passed(f"{least:.4g} % of what was due was sent{itself}")


def _not_sent(stream: StreamSummary) -> Finding | None:
    if not stream.intended or stream.sent is None or stream.sent >= _LEAST_SENT * stream.intended:
        return None
    seen = f"stream {stream.stream} sent {stream.sent:,} of {stream.intended:,} intended requests"
    mend = "the plan asks for more than was served: lower the rate, or give it more connections or processes"
    return Finding("error", seen, mend)


def _waiting(stream: StreamSummary) -> Finding | None:
    if not stream.intended or not stream.active_s or stream.backlog_max is None:
        return None
    rate = stream.intended / stream.active_s
    if stream.backlog_max <= _LONGEST_BACKLOG_S * rate:
        return None
    seen = f"up to {stream.backlog_max:,} requests of stream {stream.stream} waited for a connection: "
    seen += f"more than a second's worth at {rate:,.0f} a second"
    return Finding("error", seen, "latency holds what they waited; for a load that fits, lower the rate")


def _late(stream: StreamSummary) -> Finding | None:
    if stream.schedule is None or stream.latency is None:
        return None
    own = stream.schedule.p99_us
    if own <= max(_OWN_ERROR_US, _OWN_SHARE * stream.latency.p99_us):
        return None
    seen = f"stream {stream.stream} was itself up to {own / 1000:.3g} ms late (p99), of a latency of "
    seen += f"{stream.latency.p99_us / 1000:.3g} ms (p99)"
    return Finding("warning", seen, "give the generator a core of its own: part of what was measured is its own delay")
