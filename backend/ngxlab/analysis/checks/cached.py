"""Does nginx answer from its cache, where one is set up?"""

import re
from email.utils import parsedate_to_datetime

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.analysis.checks.check import Finding, TrialContext, figure, passed, trial_check, unavailable
from ngxlab.analysis.checks.ineffective import of_window
from ngxlab.analysis.checks.places import Place, in_effect
from ngxlab.analysis.checks.upstream_keepalive import Proxied, counted, proxied, words

_LEAST_HITS = 0.05
_ALWAYS_CACHED = ("GET", "HEAD")
_LIFETIME = re.compile(r"\b(s-maxage|max-age)=")
_FORBIDDING = ("private", "no-cache", "no-store", "max-age=0", "s-maxage=0")
"""As nginx reads ``Cache-Control``: ngx_http_upstream_process_cache_control."""
_SAY_HOW_LONG = "say how long responses are kept: proxy_cache_valid 200 1m"
_IGNORE = "let the upstream server leave that header out, or name it in proxy_ignore_headers"
_ALLOW = "change that directive, or remove proxy_cache"
_FEWER = "ask for fewer paths, or let the load last longer, so that a path is asked for again"
_LOOK = "look at one request's $upstream_cache_status, and at the headers of the upstream server's response"


def _cached(context: TrialContext) -> Finding:
    """By what reached the upstream servers of what the load asked for."""
    every = list(proxied(context))
    caching = [one for one in every if words(one.place, "proxy_cache") not in ([], ["off"])]
    if not caching:
        return passed("no stream goes where a cache is set up")
    shares = []
    for one in caching:
        share = _hits(context, one, every)
        if share is None:
            return unavailable("how much of stream {stream} the cache answered is not known", stream=one.stream.key)
        if share < _LEAST_HITS:
            reason, remedy = _reason(context, one)
            seen = say(
                "the cache answered {percent} % of the requests of stream {stream}: {reason}",
                percent=figure(100 * share),
                stream=one.stream.key,
                reason=reason,
            )
            return Finding("warning", seen, remedy)
        shares.append(share)
    return passed("the cache answered {percent} % of the requests", percent=figure(100 * min(shares)))


def _hits(context: TrialContext, one: Proxied, every: list[Proxied]) -> float | None:
    """The share that did not reach the upstream servers; ``None`` where they also answer other streams."""
    together = [other for other in every if other.keys & one.keys]
    if any(words(other.place, "proxy_cache") != words(one.place, "proxy_cache") for other in together):
        return None
    keys = {other.stream.key for other in together}
    summaries = [summary for summary in context.summary.streams if summary.stream in keys]
    asked = sum(
        (summary.requests or 0) + (summary.rejected.requests if summary.rejected else 0) for summary in summaries
    )
    passed_on = counted(context, frozenset[str]().union(*(other.keys for other in together)))
    if not asked or passed_on is None:
        return None
    return max(0.0, 1 - passed_on.requests / asked)


def _reason(context: TrialContext, one: Proxied) -> tuple[Sentence, str]:
    """The first that applies of what nginx looks at."""
    stream, place = one.stream.typical, one.place
    methods = {method for line in in_effect(place, "proxy_cache_methods") for method in line.args}
    if stream.method not in {*_ALWAYS_CACHED, *methods}:
        return say("proxy_cache_methods does not have {method}", method=stream.method), _ALLOW
    if words(place, "proxy_buffering") == ["off"]:
        return say("proxy_buffering is off, and nginx caches only what it buffers"), _ALLOW
    if (found := _of_response(context, one)) is not None:
        return found
    for directive in ("proxy_no_cache", "proxy_cache_bypass"):
        if words(place, directive):
            return say("{directive} keeps them out of it", directive=directive), _ALLOW
    if stream.paths is not None:
        return say("it asks for {count:,} different paths", count=stream.paths.count), _FEWER
    return say("the configuration does not tell why"), _LOOK


def _of_response(context: TrialContext, one: Proxied) -> tuple[Sentence, str] | None:
    """By nginx's answer to one more request: what the upstream server sent, and nginx heeds and passes on."""
    headers, status = _answer(context, one.stream.key)
    ignored = {name.lower() for line in in_effect(one.place, "proxy_ignore_headers") for name in line.args}
    seen = {name: value for name, value in headers.items() if name not in ignored and not _own(one.place, name)}
    if "set-cookie" in seen:
        return say("the response sets a cookie (Set-Cookie)"), _IGNORE
    control, expires = seen.get("cache-control", ""), seen.get("expires")
    if any(word in control.lower() for word in _FORBIDDING):
        return say("the response says Cache-Control: {value}", value=control), _IGNORE
    if seen.get("vary", "").strip() == "*":
        return say("the response says Vary: *"), _IGNORE
    if _LIFETIME.search(control.lower()):
        return None
    if expires is not None:
        is_over = _is_over(expires, headers.get("date", ""))
        return (say("the response says Expires: {value}, which is over", value=expires), _IGNORE) if is_over else None
    if _has_lifetime(one.place, status):
        return None
    reason = say(
        "nothing says how long to keep a response: proxy_cache_valid is missing"
        if status is not None
        else "proxy_cache_valid is missing, and the response may not say how long to keep it"
    )
    return reason, _SAY_HOW_LONG


def _answer(context: TrialContext, stream: str) -> tuple[dict[str, str], int | None]:
    found = next((answer for host in context.record.loading if (answer := host.answer(stream)) is not None), None)
    return (found.headers, found.status) if found is not None else ({}, None)


def _is_over(expires: str, date: str) -> bool:
    """Whether ``Expires`` is no later than ``Date``; what is no date has expired (RFC 9111, 5.3)."""
    try:
        return parsedate_to_datetime(expires) <= parsedate_to_datetime(date)
    except (ValueError, TypeError):  # of a zone and of none, which do not compare
        return True


def _own(place: Place, header: str) -> bool:
    """Whether nginx itself adds it for its clients, so that the upstream server need not have sent it."""
    if header in {"cache-control", "expires"} and words(place, "expires") not in ([], ["off"]):
        return True
    return header in {name.lower() for name in words(place, "add_header")}


def _has_lifetime(place: Place, status: int | None) -> bool:
    """Whether a ``proxy_cache_valid`` applies to the status (of any status where it is not known)."""
    for line in in_effect(place, "proxy_cache_valid"):
        codes = line.args[:-1] or ("200", "301", "302")
        if status is None or "any" in codes or str(status) in codes:
            return True
    return False


CACHED = trial_check(
    "cached",
    of_window(_cached),
    _SAY_HOW_LONG,
    _IGNORE,
    _ALLOW,
    _FEWER,
    _LOOK,
    least_hits_percent=100 * _LEAST_HITS,
)
