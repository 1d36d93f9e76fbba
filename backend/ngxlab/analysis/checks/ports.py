"""Did a host run short of local ports?"""

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.sentences import say

from ngxlab.analysis.checks.check import trial_check
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.checks.finding import Finding, passed, unavailable
from ngxlab.analysis.summary.environment import closes_after_each

_ERROR_LOG = "error.log"
_MAX_SHARE = 0.5
_WIDEN_RANGE = "widen net.ipv4.ip_local_port_range, keep connections alive, or wait longer between trials"


def _ports(context: TrialContext) -> Finding:
    window, inventory = context.host.window, context.host.inventory
    limits = inventory.limits.get("ip_local_port_range", "").split() if inventory is not None else []
    series = context.host.series.find("node_sockstat_TCP_tw")
    most = series[0].maximum(window) if series and window is not None else None
    if len(limits) != 2 or not all(limit.isdigit() for limit in limits) or most is None:
        return unavailable("the number of sockets in TIME-WAIT or the range of local ports was not read")
    available = int(limits[1]) - int(limits[0]) + 1
    seen = say("at most {most:,.0f} sockets in TIME-WAIT, {available:,} local ports", most=most, available=available)
    crowded, refused = most > _MAX_SHARE * available, _logged(context)
    if _failed_to_connect(context) and most + _planned(context) > _MAX_SHARE * available:
        return Finding("error", say("{seen}, and a generator failed to connect", seen=seen), _WIDEN_RANGE)
    if crowded and not refused and _closed_by_nginx(context):
        return Finding(
            "info", say("{seen}: nginx closed these connections, and its end of them occupies no local port", seen=seen)
        )
    if refused:
        return Finding("error", say("{seen}, and nginx found none free", seen=seen), _WIDEN_RANGE)
    if crowded:
        return Finding("warning", say("{seen}; no connection failed for want of one", seen=seen), _WIDEN_RANGE)
    return passed(seen)


def _closed_by_nginx(context: TrialContext) -> bool:
    """Whether nginx closed all connections of this host: TIME-WAIT is on the side that closes first."""
    spec = context.host.spec
    if spec.nginx is None or spec.nginx.upstream_servers:
        return False
    return closes_after_each(spec.nginx.config) or not any(one.keep_alive for one in context.all_streams)


def _logged(context: TrialContext) -> bool:
    log = context.host.artefact(_ERROR_LOG)
    return log is not None and "Cannot assign requested address" in log.text


def _failed_to_connect(context: TrialContext) -> bool:
    """Whether a generator of this host did: beside scarce ports they are the likely reason, whoever closed what."""
    return any(stream.errors.connect > 0 for stream in context.own_streams if stream.errors is not None)


def _planned(context: TrialContext) -> int:
    """Connections of this host's generators that share its range of ports: all have the same two addresses."""
    streams = (one for one in context.host.spec.streams if not ENGINES[one.engine].uses_all_addresses)
    return sum(stream.connections for stream in streams)


PORTS = trial_check("ports", every_host(_ports), _WIDEN_RANGE, max_percent=100 * _MAX_SHARE)
