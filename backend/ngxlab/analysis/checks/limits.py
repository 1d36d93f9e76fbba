"""Rules about limits that a trial may have run into: ports, descriptors, queues, conntrack, link speed."""

import re

from ngxlab.analysis.checks.perturbed import killed_workers
from ngxlab.analysis.checks.result import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.measures.environment import directive_values
from ngxlab.analysis.schemas import TrialNote

_FULL = 0.90
_NGINX_DEFAULT_CONNECTIONS = 512
_ERROR_LOG = "error.log"
_CONFIG = "nginx.conf"
_DEATHS = re.compile(
    r"^(?P<count>\d+) times in nginx's error log: .*worker process \d+ exited on signal (?P<signal>\d+)"
)


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


def descriptors(context: TrialContext) -> Finding:
    """After the fact: how near the workers came to their limits on descriptors and on connections."""
    window = context.host.window
    series = context.host.series.find("ngxlab_process_open_fds", role="nginx-worker")
    peaks = [peak for one in series if window is not None and (peak := one.maximum(window)) is not None]
    if not peaks:
        return unavailable("open descriptors of nginx's workers were not read in the window")
    config = context.host.nginx.config
    connections = int((directive_values(config, "worker_connections") or [str(_NGINX_DEFAULT_CONNECTIONS)])[-1])
    limit = _descriptor_limit(context)
    seen = f"a worker had up to {max(peaks):.0f} descriptors open; worker_connections is {connections}"
    seen += f", the limit {limit}" if limit is not None else ", the limit is unknown"
    if max(peaks) > connections * 15 / 16 or (limit is not None and max(peaks) > _FULL * limit):
        return Finding("error", seen, "raise worker_connections and worker_rlimit_nofile, or spread over more workers")
    return passed(seen)


def nginx_log(context: TrialContext) -> Finding:
    """By the agent's notes: it searched the whole log, of which only the beginning is kept (an empty log is not)."""
    notes = [note for note in context.summary.notes if is_from_log(note)]
    if notes and all(_is_meant(note, context) for note in notes):
        return Finding("info", f"{notes[0].message}: a perturbation did that", "nothing, if that was the purpose")
    if notes:
        where = f"{notes[0].host}: " if notes[0].host is not None else ""
        return Finding("error", where + notes[0].message, "read the error log among the artefacts")
    if context.host.artefact(_CONFIG) is None:
        return unavailable("the agent kept no artefacts of this nginx")
    return passed("nginx logged nothing serious")


def _is_meant(note: TrialNote, context: TrialContext) -> bool:
    """Whether the example is a worker that a perturbation ended, and no more alerts are counted than it can explain."""
    found = _DEATHS.search(note.message) if note.code == "nginx-alert" else None
    return found is not None and int(found["count"]) <= killed_workers(context).get(int(found["signal"]), 0)


def is_from_log(note: TrialNote) -> bool:
    """Whether the agent found this in nginx's error log."""
    return note.code.startswith("nginx-")


def accept_queue(context: TrialContext) -> Finding:
    window = context.host.window
    names = ("node_netstat_TcpExt_ListenOverflows", "node_netstat_TcpExt_ListenDrops")
    found = [one.increase(window) for name in names for one in context.host.series.find(name) if window is not None]
    gains = [increase.amount for increase in found if increase is not None]
    if len(gains) < len(names):
        return unavailable("ListenOverflows and ListenDrops were not read in the window")
    seen = f"{gains[0]:.0f} listen overflows and {gains[1]:.0f} drops on this host"
    if any(gains):
        return Finding("warning", seen, "raise backlog= of the listen directive and net.core.somaxconn")
    return passed(seen)


def conntrack(context: TrialContext) -> Finding:
    window = context.host.window
    entries = context.host.series.find("node_nf_conntrack_entries")
    limits = context.host.series.find("node_nf_conntrack_entries_limit")
    most = entries[0].maximum(window) if entries and window is not None else None
    limit = limits[0].maximum(window) if limits and window is not None else None
    if most is None or not limit:
        return unavailable("the host shows no connection-tracking table")
    seen = f"at most {most:,.0f} of {limit:,.0f} tracked connections"
    if most > 0.8 * limit:
        return Finding("error", seen, "raise net.netfilter.nf_conntrack_max, or exempt the test's ports from tracking")
    return passed(seen)


def loopback(context: TrialContext) -> Finding:
    network = context.host_summary.network
    rates = {rate.device: rate.received_bits_per_s + rate.transmitted_bits_per_s for rate in network}
    if not rates:
        return unavailable("network traffic was not read in the window")
    own = rates.get("lo", 0.0)
    if own > sum(rates.values()) / 2:
        message = f"the load went over loopback ({own / 2e6:,.0f} Mbit/s each way): no NIC limits it"
        return Finding("info", message, "do not compare with figures from a remote generator")
    return passed("the load came over a network device")


def link_speed(context: TrialContext) -> Finding:
    inventory = context.host.inventory
    speeds = {nic.name: nic.speed_mbps for nic in inventory.nics} if inventory is not None else {}
    shares = {
        rate.device: max(rate.received_bits_per_s, rate.transmitted_bits_per_s) / (speed * 1e6)
        for rate in context.host_summary.network
        if (speed := speeds.get(rate.device))
    }
    if not shares:
        return unavailable("no device of known speed carried traffic")
    device = max(shares, key=lambda name: shares[name])
    seen = f"{device} carried {100 * shares[device]:.0f} % of its link speed"
    if shares[device] > _FULL:
        return Finding(
            "warning", f"{seen}: network-limited, a ratio is a lower bound", "use a faster link or less data"
        )
    return passed(seen)


def _descriptor_limit(context: TrialContext) -> int | None:
    configured = directive_values(context.host.nginx.config, "worker_rlimit_nofile")
    if configured:
        return int(configured[-1])
    inventory = context.host.inventory
    text = inventory.limits.get("nofile_hard", "") if inventory is not None else ""
    return int(text) if text.isdigit() else None


def _addresses_ran_out(context: TrialContext) -> bool:
    log = context.host.artefact(_ERROR_LOG)
    return log is not None and "Cannot assign requested address" in log.text
