"""Did generators that follow a schedule keep it?"""

from collections.abc import Sequence

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.sentences import Sentence, say

from ngxlab.analysis.checks.check import Finding, TrialContext, figure, passed, trial_check, unavailable
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.schemas import LatencySummary, StreamSummary

_MIN_SENT = 0.99
_MAX_BACKLOG_S = 1.0
_MAX_LATE_US = 1000
_MAX_LATE_SHARE = 0.1
_LOWER_RATE = "lower the rate, or give the stream more connections or processes"
_FIT_RATE = "lower the rate if no backlog was intended: the latency includes the wait for a connection"
_OWN_CORE = "give the generator a core of its own: part of the latency is the generator's own delay"


def _behind(context: TrialContext) -> Finding:
    if context.host.window is None:
        return unavailable("the trial has no measured window")
    streams = [one for one in context.steady_streams if ENGINES[one.engine].loop == "open" and one.active_s]
    if not streams and context.steered:
        return passed("does not apply: the generator is judged at each rate that was tried")
    if not streams:
        return passed("does not apply: no open loop runs within the window")
    for rule in (_not_sent, _backlog, _late):
        for stream in streams:
            finding = rule(stream)
            if finding is not None:
                return finding
    counted = [stream for stream in streams if stream.intended and stream.sent is not None]
    if len(counted) < len(streams):
        return unavailable("the engine's counts of due and sent requests were not read in the window")
    return passed(_kept(counted))


def _kept(streams: Sequence[StreamSummary]) -> Sentence:
    least = min(100 * (stream.sent or 0) / (stream.intended or 1) for stream in streams)
    late = [_late_by(stream.schedule) for stream in streams if stream.schedule is not None]
    own_us, which = max(late, default=(0.0, ""))
    own_delay = (
        say("; the generator's own delay was at most {delay} ms ({which})", delay=figure(own_us / 1000), which=which)
        if late
        else ""
    )
    return say("{least:.4g} % of the requests that were due were sent{own_delay}", least=least, own_delay=own_delay)


def _late_by(delays: LatencySummary) -> tuple[float, str]:
    """The p99, or the p90 where there are too few requests for it."""
    return (delays.p99_us, "p99") if delays.p99_us is not None else (delays.p90_us, "p90")


def _not_sent(stream: StreamSummary) -> Finding | None:
    if not stream.intended or stream.sent is None or stream.sent >= _MIN_SENT * stream.intended:
        return None
    seen = say(
        "stream {stream} sent {sent:,} of {intended:,} intended requests",
        stream=stream.stream,
        sent=stream.sent,
        intended=stream.intended,
    )
    return Finding("error", seen, _LOWER_RATE)


def _backlog(stream: StreamSummary) -> Finding | None:
    rate = stream.intended_per_s
    if not rate or stream.backlog_max is None:
        return None
    if stream.backlog_max <= _MAX_BACKLOG_S * rate:
        return None
    seen = say(
        "up to {count:,} requests of stream {stream} waited for a connection: more than the "
        "{rate:,.0f} requests that are due in a second",
        count=stream.backlog_max,
        stream=stream.stream,
        rate=rate,
    )
    return Finding("error", seen, _FIT_RATE)


def _late(stream: StreamSummary) -> Finding | None:
    if stream.schedule is None or stream.latency is None:
        return None
    own_us, which = _late_by(stream.schedule)
    latency_us = stream.latency.p99_us if which == "p99" else stream.latency.p90_us
    if latency_us is None or own_us <= max(_MAX_LATE_US, _MAX_LATE_SHARE * latency_us):
        return None
    seen = say(
        "the generator of stream {stream} was up to {delay} ms late ({which}), of a latency of {latency} ms ({which})",
        stream=stream.stream,
        delay=figure(own_us / 1000, 3),
        which=which,
        latency=figure(latency_us / 1000, 3),
    )
    return Finding("warning", seen, _OWN_CORE)


BEHIND = trial_check(
    "open-loop-behind",
    every_host(_behind, "generator"),
    _LOWER_RATE,
    _FIT_RATE,
    _OWN_CORE,
    min_sent_percent=100 * _MIN_SENT,
    max_backlog_s=_MAX_BACKLOG_S,
    max_late_ms=_MAX_LATE_US / 1000,
    max_late_percent=100 * _MAX_LATE_SHARE,
)
