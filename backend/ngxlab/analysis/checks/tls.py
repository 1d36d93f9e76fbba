"""TLS handshakes as they happened: resumed where that is asked for, and which failed."""

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.sentences import Sentence, listed, say

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, trial_check, unavailable
from ngxlab.analysis.checks.ineffective import of_window
from ngxlab.analysis.summary.environment import directive_values

_LEAST_RESUMED = 0.05
_MAX_FAILED_SHARE = 0.001
_CLOSE = "let the stream close its connections (keep_alive off), if handshakes are the question"
_RESUMING_ENGINE = "load by an engine that resumes sessions: wrk does"
_OFFER = "let nginx resume: ssl_session_cache shared:NAME:10m, or ssl_session_tickets on"
_BOTH_ENDS = "use protocols, ciphers and a certificate that both ends have: ssl_protocols, ssl_ciphers, ssl_ecdh_curve"


def _resumption(context: TrialContext) -> Finding:
    """Of handshakes beyond the first of each connection of the plan, which nothing can resume."""
    streams = [stream for stream in context.all_streams if stream.tls]
    if not streams or not (asked := _asked(context.host.nginx.config)):
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
    if use.resumed >= _LEAST_RESUMED * (use.full + use.resumed - first):
        return passed(counts)
    full_only = sorted({stream.engine for stream in streams if not ENGINES[stream.engine].resumes_tls})
    reason, remedy = (
        (say("engine {engine} offers no session to resume", engine=full_only[0]), _RESUMING_ENGINE)
        if full_only
        else (say("nginx takes none of those that the load offers"), _OFFER)
    )
    seen = say("{counts}, although {asked} asks for resumption: {reason}", counts=counts, asked=asked, reason=reason)
    return Finding("warning", seen, remedy)


def _asked(config: str) -> str | None:
    """The directive that asks for it. Tickets are on by default, which asks for nothing."""
    if any(value.split()[0] not in {"off", "none"} for value in directive_values(config, "ssl_session_cache")):
        return "ssl_session_cache"
    return "ssl_session_tickets" if "on" in directive_values(config, "ssl_session_tickets") else None


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
        return passed("no TLS handshake failed")
    reasons = [_times(count, reason) for reason, count in use.failed.items()]
    more = [_times(closed, say("the client closed the connection"))] if closed else []
    seen = say("{failed:,} TLS handshakes failed: {reasons}", failed=failed, reasons=listed([*reasons, *more], "; "))
    done = context.summary.nginx.accepts if context.summary.nginx is not None else 0
    is_grave = refused > _MAX_FAILED_SHARE * (refused + done)
    return Finding("error" if is_grave else "warning", seen, _BOTH_ENDS)


def _times(count: int, reason: str | Sentence) -> Sentence:
    return say("{reason} ({count:,})", reason=reason, count=count)


TLS_RESUMPTION = trial_check(
    "tls-resumption",
    of_window(_resumption),
    _CLOSE,
    _RESUMING_ENGINE,
    _OFFER,
    least_resumed_percent=100 * _LEAST_RESUMED,
)
TLS_HANDSHAKES = trial_check(
    "tls-handshakes", of_window(_handshakes), _BOTH_ENDS, max_failed_percent=100 * _MAX_FAILED_SHARE
)
