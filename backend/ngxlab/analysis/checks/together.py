"""Rules about all streams of a trial together: did they begin together, and do their counts add up?"""

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.schemas import Accounting

MAX_START_SPREAD_US = 20_000
_MAX_DISAGREEMENT_PERCENT = 1.0


def start_spread(context: TrialContext) -> Finding:
    """By corrected clocks, so it is no truer than the clocks' offsets (check 20)."""
    loading, spread_us = context.record.loading, context.summary.start_spread_us
    if spread_us is None:
        return unavailable("not every host said when it began its streams")
    if len(loading) == 1:
        return passed("one host began all streams")
    began = sorted((host.load_began_us or 0) + host.clock_offset_us for host in loading)
    last = next(host for host in loading if (host.load_began_us or 0) + host.clock_offset_us == began[-1])
    seen = f"{len(loading)} hosts began their streams within {spread_us / 1000:.1f} ms, {context.name(last)} last"
    if spread_us > MAX_START_SPREAD_US:
        mend = "look at the clocks (check 20), and at what kept that host from beginning in time"
        return Finding("error", f"{seen}; {MAX_START_SPREAD_US // 1000} ms are allowed", mend)
    return passed(seen)


def accounting(context: TrialContext) -> Finding:
    """The sums over all streams against nginx's count, and each stream's own counts."""
    whole, streams = context.summary.accounting, context.summary.streams
    accounts = {f"stream {stream.stream}": stream.accounting for stream in streams if len(streams) > 1}
    shares = {
        whose: one.max_disagreement_percent
        for whose, one in {"all streams": whole, **accounts}.items()
        if one is not None and one.max_disagreement_percent is not None
    }
    if whole is None or "all streams" not in shares:
        return unavailable("fewer than two counts of the requests of all streams are known")
    whose = max(shares, key=lambda name: shares[name])
    worst = accounts.get(whose) or whole
    where = f" for {whose}" if len(streams) > 1 else ""
    seen = f"the counts differ by {shares[whose]:.2f} % at most{where} ({_counts(worst)})"
    if shares[whose] > _MAX_DISAGREEMENT_PERCENT:
        under_way = sum(stream.connections for stream in context.all_streams)
        if _agree_but_for(under_way, worst):
            return passed(f"{seen}: no more than {under_way} requests were under way at the end, and had no answer")
        return Finding("error", seen, "something else sends requests to this nginx, or a counter was read wrongly")
    return passed(seen)


def _agree_but_for(under_way: int, account: Accounting) -> bool:
    """nginx counts a request when it comes, a generator when it has the answer: where few are answered, those that
    the end cut off are more than one percent."""
    generated = [count for count in (account.live_requests, account.printed_requests) if count is not None]
    counted = account.stub_requests
    if counted is None or not generated:
        return False
    tolerance = max(counted, *generated) * _MAX_DISAGREEMENT_PERCENT / 100
    behind = counted - under_way - min(generated)
    ahead = max(generated) - counted
    return max(behind, ahead, max(generated) - min(generated)) <= tolerance


def _counts(account: Accounting) -> str:
    named = {"live": account.live_requests, "printed": account.printed_requests, "nginx": account.stub_requests}
    return ", ".join(f"{name} {value:,}" for name, value in named.items() if value is not None)
