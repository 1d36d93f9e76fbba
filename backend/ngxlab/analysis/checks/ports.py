"""Did local ports run short?"""

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable

_ERROR_LOG = "error.log"


def ports(context: TrialContext) -> Finding:
    window, inventory = context.host.window, context.host.inventory
    limits = inventory.limits.get("ip_local_port_range", "").split() if inventory is not None else []
    series = context.host.series.find("node_sockstat_TCP_tw")
    most = series[0].maximum(window) if series and window is not None else None
    if len(limits) != 2 or not all(limit.isdigit() for limit in limits) or most is None:
        return unavailable("sockets in TIME-WAIT or the range of local ports are not known")
    available = int(limits[1]) - int(limits[0]) + 1
    seen = f"at most {most:,.0f} sockets in TIME-WAIT, {available:,} local ports"
    crowded = most > 0.5 * available
    if crowded and _closed_by_nginx(context) and not _addresses_ran_out(context):
        return Finding("info", f"{seen}: nginx closed these connections, and its end of them occupies no local port")
    if crowded or _addresses_ran_out(context):
        return Finding(
            "error", seen, "widen net.ipv4.ip_local_port_range, keep connections alive, or wait between trials"
        )
    return passed(seen)


def _closed_by_nginx(context: TrialContext) -> bool:
    """Whether TIME-WAIT, which is on the side that closes first, is on nginx's for all connections of this host."""
    spec = context.host.spec
    return spec.nginx is not None and not spec.nginx.backends and not any(one.keep_alive for one in context.all_streams)


def _addresses_ran_out(context: TrialContext) -> bool:
    log = context.host.artefact(_ERROR_LOG)
    return log is not None and "Cannot assign requested address" in log.text
