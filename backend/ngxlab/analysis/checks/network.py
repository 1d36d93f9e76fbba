"""Did the network limit the load: listen queue, connection tracking, loopback, link speed?"""

import math

from ngxlab_contracts.sentences import say

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, trial_check, unavailable
from ngxlab.analysis.checks.every_host import every_host

_MAX_CONNTRACK = 0.8
_LOOPBACK_SHARE = 0.5
_MAX_LINK = 0.90
_RAISE_BACKLOG = "raise backlog= of the listen directive, and net.core.somaxconn"
_RAISE_CONNTRACK = "raise net.netfilter.nf_conntrack_max, or exempt the test's ports from tracking"
_NOT_COMPARABLE = "do not compare with results from a remote generator"
_FASTER_LINK = "use a faster link, or smaller responses"


def _accept_queue(context: TrialContext) -> Finding:
    window = context.host.window
    names = ("node_netstat_TcpExt_ListenOverflows", "node_netstat_TcpExt_ListenDrops")
    columns = [column for name in names for column in context.host.series.find(name)]
    increases = [column.increase(window) for column in columns if window is not None]
    gains = [increase.amount for increase in increases if increase is not None]
    if len(gains) < len(names):
        return unavailable("ListenOverflows and ListenDrops were not read in the window")
    seen = say("{gains:.0f} listen overflows and {gains2:.0f} drops on this host", gains=gains[0], gains2=gains[1])
    if any(gains):
        return Finding("warning", seen, _RAISE_BACKLOG)
    return passed(seen)


def _conntrack(context: TrialContext) -> Finding:
    window = context.host.window
    entries = context.host.series.find("node_nf_conntrack_entries")
    limits = context.host.series.find("node_nf_conntrack_entries_limit")
    most = entries[0].maximum(window) if entries and window is not None else None
    limit = limits[0].maximum(window) if limits and window is not None else None
    if most is None or not limit:
        return unavailable("the host has no connection-tracking table, or does not show it")
    seen = say("at most {most:,.0f} of {limit:,.0f} tracked connections", most=most, limit=limit)
    if most > _MAX_CONNTRACK * limit:
        return Finding("error", seen, _RAISE_CONNTRACK)
    return passed(seen)


def _loopback(context: TrialContext) -> Finding:
    network = context.host_summary.network
    rates = {rate.device: rate.received_bits_per_s + rate.transmitted_bits_per_s for rate in network}
    if not rates:
        return unavailable("network traffic was not read in the window")
    own = rates.get("lo", 0.0)
    if own > _LOOPBACK_SHARE * math.fsum(rates.values()):
        message = say("the load went over loopback ({own:,.0f} Mbit/s each way): no NIC limits it", own=own / 2000000.0)
        return Finding("info", message, _NOT_COMPARABLE)
    return passed("the load came over a network device")


def _link_speed(context: TrialContext) -> Finding:
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
    seen = say("{device} carried {percent:.0f} % of its link speed", device=device, percent=100 * shares[device])
    if shares[device] > _MAX_LINK:
        return Finding(
            "warning", say("{seen}: the network was the limit, so a ratio is a lower bound", seen=seen), _FASTER_LINK
        )
    return passed(seen)


ACCEPT_QUEUE = trial_check("accept-queue", _accept_queue, _RAISE_BACKLOG)
CONNTRACK = trial_check(
    "conntrack", every_host(_conntrack), _RAISE_CONNTRACK, max_conntrack_percent=100 * _MAX_CONNTRACK
)
LOOPBACK = trial_check(
    "loopback", every_host(_loopback, "target", "generator"), _NOT_COMPARABLE, loopback_percent=100 * _LOOPBACK_SHARE
)
LINK_SPEED = trial_check("link-speed", every_host(_link_speed), _FASTER_LINK, max_link_percent=100 * _MAX_LINK)
