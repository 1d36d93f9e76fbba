"""Are rates and latencies those of served requests? A rejected one costs nginx little, and serves nobody."""

from collections.abc import Callable

from ngxlab_contracts.sentences import say

from ngxlab.analysis.checks.check import Finding, TrialContext, figure, passed, trial_check, unavailable
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.schemas import RejectedSummary, StreamSummary
from ngxlab.analysis.summary.rejected import answered, whole_life

_MAX_MIXED_PERCENT = 0.1
_OTHER_ENGINE = (
    "use engine open-loop, which records rejected requests apart, or configure nginx so that it rejects none"
)
_NEWER_AGENT = "upgrade the host's agent, or use engine open-loop; see the trial's notes if wrk's memory is unreadable"


def _latency(context: TrialContext) -> Finding:
    def is_mixed(rejected: RejectedSummary) -> bool:
        return rejected.told_apart != "all"

    return _judged(context, is_mixed, "latency", _OTHER_ENGINE)


def _rate(context: TrialContext) -> Finding:
    def is_mixed(rejected: RejectedSummary) -> bool:
        return rejected.told_apart == "nothing"

    return _judged(context, is_mixed, "rate", _NEWER_AGENT)


def _judged(context: TrialContext, is_mixed: Callable[[RejectedSummary], bool], what: str, remedy: str) -> Finding:
    known = [(stream, stream.rejected) for stream in context.own_streams if stream.rejected is not None]
    if len(known) < len(context.own_streams) or not known:
        return unavailable("a generator did not report its responses")
    mixed = [(*_rejected_of(context, stream), stream.stream) for stream, rejected in known if is_mixed(rejected)]
    share, count, key = max(mixed, default=(0.0, 0, ""))
    if share > _MAX_MIXED_PERCENT:
        seen = say(
            (
                "the latency of stream {key} includes {count:,} rejected responses ({share} % of all), "
                "which its generator did not tell from the served ones"
            )
            if what == "latency"
            else (
                "the rate of stream {key} includes {count:,} rejected responses ({share} % of all), which "
                "its generator did not tell from the served ones"
            ),
            key=key,
            count=count,
            share=figure(share),
        )
        return Finding("error", seen, remedy)
    apart = sum(rejected.requests for _, rejected in known)
    return passed(
        say(
            "{apart:,} rejected responses are apart from the served ones" if apart else "no response was rejected",
            apart=apart,
        )
    )


def _rejected_of(context: TrialContext, stream: StreamSummary) -> tuple[float, int]:
    """The share of rejected responses over the stream's whole life, in percent, and their number."""
    totals = stream.printed or stream.totals
    spec = next(one for one in context.host.spec.streams if one.key == stream.stream)
    if totals is None:
        return 0.0, 0
    count, every = whole_life(spec, totals), answered(totals)
    return (100 * count / every if every else 0.0), count


SERVED_LATENCY = trial_check(
    "served-latency", every_host(_latency, "generator"), _OTHER_ENGINE, max_mixed_percent=_MAX_MIXED_PERCENT
)
SERVED_RATE = trial_check(
    "served-rate", every_host(_rate, "generator"), _NEWER_AGENT, max_mixed_percent=_MAX_MIXED_PERCENT
)
