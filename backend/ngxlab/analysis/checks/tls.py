"""TLS handshakes as they happened: resumed where that is asked for, and which failed."""

from collections.abc import Sequence

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, trial_check, unavailable
from ngxlab.analysis.checks.ineffective import of_window
from ngxlab.analysis.summary.environment import directive_values

_LEAST_RESUMED = 0.05
_MAX_FAILED_SHARE = 0.001
_CLOSE = "let the stream close its connections (keep_alive off), if handshakes are the question"
_RESUMING_ENGINE = "load by an engine that resumes sessions: wrk does; open-loop as tls_client.resumed_percent says"
_OFFER = "let nginx resume: ssl_session_cache shared:NAME:10m, or ssl_session_tickets on"
_EARLY_ASKED = "tls_client.early_data_percent"
_TAKE_EARLY = "let nginx take early data: ssl_early_data on, and TLSv1.3 among ssl_protocols"
_ONE_LOAD = "keep other clients away from the listener, and access logs of connections to ngxlab's own"
_BOTH_ENDS = "use protocols, ciphers and a certificate that both ends have: ssl_protocols, ssl_ciphers, ssl_ecdh_curve"


def _resumption(context: TrialContext) -> Finding:
    """The first handshake of each connection of the plan is left out: nothing can resume it."""
    streams = [stream for stream in context.all_streams if stream.tls]
    if streams and all(_resumed_percent(stream) == 0 for stream in streams):
        return passed("the streams ask for full handshakes")
    if not streams or not (asked := _wished(streams) or _asked(context.host.nginx.config)):
        return passed("no stream goes where nginx is asked to resume TLS sessions")
    use = context.host.tls_use()
    first = sum(stream.connections for stream in streams)
    if use is None or use.full is None or use.resumed is None:
        return unavailable("nginx did not log its handshakes")
    counts = say("{full:,} full and {resumed:,} resumed handshakes", full=use.full, resumed=use.resumed)
    if use.full + use.resumed == 0:
        return unavailable("nginx logged no handshake: an access_log of the configuration may replace the trial's")
    if use.full + use.resumed <= 2 * first:
        seen = say("{counts}: the load keeps its connections, so there was next to nothing to resume", counts=counts)
        return Finding("info", seen, _CLOSE)
    if use.resumed >= _least(streams) * (use.full + use.resumed - first):
        return _early(context, streams) or passed(counts)
    full_only = sorted({stream.engine for stream in streams if not _resumes(stream)})
    reason, remedy = (
        (say("engine {engine} offers no session to resume", engine=full_only[0]), _RESUMING_ENGINE)
        if full_only
        else (say("nginx takes none of those that the load offers"), _OFFER)
    )
    seen = say("{counts}, although {asked} asks for resumption: {reason}", counts=counts, asked=asked, reason=reason)
    return Finding("warning", seen, remedy)


def _early(context: TrialContext, streams: Sequence[StreamSpec]) -> Finding | None:
    """Where a stream offers early data with its resumed handshakes, and nginx took none of it."""
    totals = {one.stream: one.totals for one in context.summary.streams}
    for stream in streams:
        offers = stream.tls_client is not None and bool(stream.tls_client.early_data_percent)
        told = totals.get(stream.key)
        if offers and told is not None and told.handshakes_resumed and not told.early_requests:
            seen = say("nginx took no request as early data, although {asked} asks for it", asked=_EARLY_ASKED)
            return Finding("warning", seen, _TAKE_EARLY)
    return None


def _asked(config: str) -> str | None:
    """The directive that asks for it. Tickets are on by default, which asks for nothing."""
    if any(value.split()[0] not in {"off", "none"} for value in directive_values(config, "ssl_session_cache")):
        return "ssl_session_cache"
    return "ssl_session_tickets" if "on" in directive_values(config, "ssl_session_tickets") else None


def _wished(streams: Sequence[StreamSpec]) -> str | None:
    return "tls_client.resumed_percent" if any(_resumed_percent(stream) for stream in streams) else None


def _resumed_percent(stream: StreamSpec) -> float | None:
    """``None`` where the stream does not say it."""
    return stream.tls_client.resumed_percent if stream.tls_client is not None else None


def _resumes(stream: StreamSpec) -> bool:
    return ENGINES[stream.engine].resumes_tls or bool(_resumed_percent(stream))


def _least(streams: Sequence[StreamSpec]) -> float:
    """The share of handshakes that must resume: nearly what all streams ask for, where each says it."""
    shares = [(_resumed_percent(stream) or 0) / 100 for stream in streams]
    return max(_LEAST_RESUMED, min(shares) - _LEAST_RESUMED)


def _handshakes(context: TrialContext) -> Finding:
    """Connections that the load closes at its end may be in the middle of a handshake; and wrk first opens one to see
    whether anybody listens. What the client leaves unfinished says nothing of why, and so voids nothing."""
    if not any(stream.tls for stream in context.all_streams):
        return passed("does not apply: no stream speaks TLS")
    use = context.host.tls_use()
    if use is None:
        return unavailable("nginx's log has no failed handshakes of this trial: an older agent ran it")
    closed = max(0, use.unfinished - sum(stream.connections + 1 for stream in context.all_streams))
    refused = sum(use.failed.values())
    failed = refused + closed
    if not failed:
        return _reconciled(context) or passed("no TLS handshake failed")
    reasons = [_times(count, reason) for reason, count in use.failed.items()]
    more = [_times(closed, say("the client closed the connection"))] if closed else []
    seen = say("{failed:,} TLS handshakes failed: {reasons}", failed=failed, reasons=listed([*reasons, *more], "; "))
    done = context.summary.nginx.accepts if context.summary.nginx is not None else 0
    is_grave = refused > _MAX_FAILED_SHARE * (refused + done)
    return Finding("error" if is_grave else "warning", seen, _BOTH_ENDS)


def _reconciled(context: TrialContext) -> Finding | None:
    """Handshakes as both ends count them, where both do. nginx logs those that a request followed, which of each
    connection of the plan may be one fewer."""
    use = context.host.tls_use()
    streams = [stream for stream in context.all_streams if stream.tls]
    totals = {one.stream: one.totals for one in context.summary.streams}
    told = [one for stream in streams if (one := totals.get(stream.key)) is not None and one.handshakes]
    if use is None or (not use.full and not use.resumed) or len(told) < len(streams):
        return None
    made, logged = sum(one.handshakes for one in told), (use.full or 0) + (use.resumed or 0)
    unanswered = sum(one.errors_read + one.errors_write + one.errors_timeout for one in told)
    slack = sum(stream.connections + 1 for stream in streams) + unanswered + _MAX_FAILED_SHARE * made
    if abs(made - logged) <= slack:
        return None
    seen = say("the generators made {made:,} TLS handshakes, nginx logged {logged:,}", made=made, logged=logged)
    return Finding("error", seen, _ONE_LOAD)


def _times(count: int, reason: str | Sentence) -> Sentence:
    return say("{reason} ({count:,})", reason=reason, count=count)


TLS_RESUMPTION = trial_check(
    "tls-resumption",
    of_window(_resumption),
    _CLOSE,
    _RESUMING_ENGINE,
    _OFFER,
    _TAKE_EARLY,
    least_resumed_percent=100 * _LEAST_RESUMED,
)
TLS_HANDSHAKES = trial_check(
    "tls-handshakes", of_window(_handshakes), _BOTH_ENDS, _ONE_LOAD, max_failed_percent=100 * _MAX_FAILED_SHARE
)
