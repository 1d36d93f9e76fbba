"""Did the network limit the load: listen queue, connection tracking, loopback, link speed?"""

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable

_FULL = 0.90


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
