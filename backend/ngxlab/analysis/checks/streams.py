"""Checks of all streams of a trial together: did they start together, and do their counts agree?"""

from ngxlab_contracts.sentences import Sentence, listed, say

from ngxlab.analysis.checks.check import Finding, TrialContext, figure, passed, trial_check, unavailable
from ngxlab.analysis.schemas import Accounting

_ALL = say("all streams")
_MAX_WINDOW_SHARE = 0.01
_MAX_DISAGREEMENT_PERCENT = 1.0
_MAX_UNREAD_PERCENT = 0.5
_OWN_POLL = 1
"""The agent's status polls are left out of nginx's count once they are answered; a blocked worker has one to answer."""
_SPARE_CPU = "leave the agent some CPU: pin nginx and the generator, or use a generator host of its own"
_LOOK_AT_CLOCKS = "look at the clocks (check 20), and find out what delayed that host"
_OTHER_CLIENT = "look for another client of this nginx, or for a counter that was read wrongly"


def _start_spread(context: TrialContext) -> Finding:
    """Uses corrected clocks, so it is as accurate as the measured offsets (check 20).

    A host that starts late moves its own window by as much, so for that long at the end of its window, and for no
    longer, it measures under a part of the load.
    """
    loading, spread_us = context.record.loading, context.summary.start_spread_us
    if spread_us is None:
        return unavailable("a host did not report when it started its streams")
    if len(loading) == 1:
        return passed("one host started all streams")
    began = sorted((host.load_began_us or 0) + host.clock_offset_us for host in loading)
    last = next(host for host in loading if (host.load_began_us or 0) + host.clock_offset_us == began[-1])
    seen = say(
        "{hosts} hosts started their streams within {spread:.1f} ms, {last} last",
        hosts=len(loading),
        spread=spread_us / 1000,
        last=context.name(last),
    )
    share = spread_us / (context.host.spec.timing.measure_s * 1e6)
    if share > _MAX_WINDOW_SHARE:
        harm = say("{seen}: {share} % of the window had a part of the load only", seen=seen, share=figure(100 * share))
        return Finding("error", harm, _LOOK_AT_CLOCKS)
    return passed(seen)


def _accounting(context: TrialContext) -> Finding:
    """Compares the sums over all streams with nginx's count, and the counts of each stream with each other."""
    whole, streams = context.summary.accounting, context.summary.streams
    several = streams if len(streams) > 1 else []
    accounts = {say("stream {stream}", stream=stream.stream): stream.accounting for stream in several}
    shares = {
        whose: one.max_disagreement_percent
        for whose, one in {_ALL: whole, **accounts}.items()
        if one is not None and one.max_disagreement_percent is not None
    }
    if whole is None or _ALL not in shares:
        return unavailable("fewer than two counts cover the requests of all streams")
    whose = max(shares, key=lambda name: shares[name])
    worst = accounts.get(whose) or whole
    where = say(" for {whose}", whose=whose) if len(streams) > 1 else ""
    seen = say(
        "the counts differ by {percent:.2f} % at most{where} ({counts})",
        percent=shares[whose],
        where=where,
        counts=_counts(worst),
    )
    if shares[whose] > _MAX_DISAGREEMENT_PERCENT:
        in_flight = sum(stream.connections for stream in context.all_streams)
        if _agree_except(in_flight, worst):
            return passed(
                "{seen}; up to {in_flight} requests were in flight at the end, which explains it",
                seen=seen,
                in_flight=in_flight,
            )
        return Finding("error", seen, _OTHER_CLIENT)
    return _unread(context) or passed(seen)


def _unread(context: TrialContext) -> Finding | None:
    """Whether the histograms lack the end of a stream. The rate does not suffer: it is over the time that was read."""
    stream = max(
        (one for one in context.summary.streams if one.accounting is not None),
        key=lambda one: one.accounting.unread_percent if one.accounting is not None else 0.0,
        default=None,
    )
    if stream is None or stream.accounting is None or stream.accounting.unread_percent <= _MAX_UNREAD_PERCENT:
        return None
    seen = say(
        "the histograms of stream {stream} lack {percent} % of its requests: the host was "
        "too busy to read the generator's last moments",
        stream=stream.stream,
        percent=figure(stream.accounting.unread_percent),
    )
    return Finding("warning", seen, _SPARE_CPU)


def _agree_except(in_flight: int, account: Accounting) -> bool:
    """Whether requests in flight at the end explain the difference.

    nginx counts a request on arrival, a generator counts its response, and its two counts are read one after the
    other: with few requests in all, those in flight, and a poll of the agent's own, can exceed one percent.
    """
    generated = [count for count in (account.live_requests, account.printed_requests) if count is not None]
    counted = account.stub_requests
    if counted is None or not generated:
        return False
    tolerance = max(counted, *generated) * _MAX_DISAGREEMENT_PERCENT / 100
    behind = counted - in_flight - _OWN_POLL - min(generated)
    ahead = max(generated) - counted
    apart = max(generated) - min(generated)
    return max(behind, ahead) <= tolerance and apart <= max(tolerance, in_flight)


def _counts(account: Accounting) -> Sentence:
    live, printed, counted = account.live_requests, account.printed_requests, account.stub_requests
    return listed(
        [
            *([say("live {count:,}", count=live)] if live is not None else []),
            *([say("printed {count:,}", count=printed)] if printed is not None else []),
            *([say("nginx {count:,}", count=counted)] if counted is not None else []),
        ]
    )


START_SPREAD = trial_check("start-spread", _start_spread, _LOOK_AT_CLOCKS, max_window_percent=100 * _MAX_WINDOW_SHARE)
ACCOUNTING = trial_check(
    "accounting",
    _accounting,
    _OTHER_CLIENT,
    _SPARE_CPU,
    max_disagreement_percent=_MAX_DISAGREEMENT_PERCENT,
    max_unread_percent=_MAX_UNREAD_PERCENT,
)
