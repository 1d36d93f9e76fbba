"""Did the network limit the load: listen queue, connection tracking, loopback, link speed?"""

from ngxlab_contracts.sentences import say

from ngxlab.analysis.checks.check import Evidence, TrialCheck
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.every_host import every_host
from ngxlab.analysis.checks.finding import Finding, passed, unavailable

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
    if own > _LOOPBACK_SHARE * sum(rates.values()):
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


ACCEPT_QUEUE = TrialCheck(
    number=10,
    key="accept-queue",
    title="No connection was dropped at the listen queue",
    failed="Connections were dropped at the listen queue",
    rule="Warning if `ListenOverflows` or `ListenDrops` increases in the window.",
    data="`TcpExt` counters of `/proc/net/netstat` on the target. They count every listener of the host.",
    results={"warning": Evidence("backlog=1, and workers that are stopped")},
    voids="Latency of new connections: a dropped one is tried again after a second or more.",
    remedies=(_RAISE_BACKLOG,),
    source="listen(2); Linux, `Documentation/networking/snmp_counter.rst`.",
    while_measured=True,
    judge=_accept_queue,
)

CONNTRACK = TrialCheck(
    number=11,
    key="conntrack",
    title="The connection-tracking table had room",
    failed="The connection-tracking table ran short",
    rule=f"Error if tracked connections exceed {100 * _MAX_CONNTRACK:g} % of the table's limit.",
    data="`nf_conntrack_count` and `nf_conntrack_max` (`/proc/sys/net/netfilter`), on every host.",
    results={"error": Evidence("85 % of the entries are taken by other traffic in the same network namespace")},
    voids="Requests/s and connections held: a full table drops the packets of new connections.",
    remedies=(_RAISE_CONNTRACK,),
    source="Linux, `Documentation/networking/nf_conntrack-sysctl.rst`. The threshold is ngxlab's own. Before a run "
    "starts, `runs/preflight/capacity.py` refuses more connections than the table has room for.",
    while_measured=True,
    judge=every_host(_conntrack),
)

LOOPBACK = TrialCheck(
    number=18,
    key="loopback",
    title="The load came over a network device",
    failed="The load came over the loopback device",
    rule=f"Info if more than {100 * _LOOPBACK_SHARE:g} % of the traffic goes over the loopback device.",
    data="Bytes of each device (`/proc/net/dev`), on the target and on every generator host.",
    results={"info": Evidence("generator and nginx on one host")},
    voids="Nothing within the run; its requests/s and latency do not compare with those over a network.",
    remedies=(_NOT_COMPARABLE,),
    source="ngxlab's own: loopback has no link speed, no interrupts of a device, and no round-trip time.",
    while_measured=False,
    judge=every_host(_loopback, "target", "generator"),
)

LINK_SPEED = TrialCheck(
    number=19,
    key="link-speed",
    title="The network was not the limit",
    failed="The network was almost full",
    rule=f"Warning if a device carries more than {100 * _MAX_LINK:g} % of its link speed in one direction.",
    data="Bytes of each device (`/proc/net/dev`) and its speed (`/sys/class/net/DEVICE/speed`), on every host.",
    results={"warning": Evidence("other traffic fills a tunnel whose speed is 1 Mbit/s")},
    voids="The size of an effect: the faster arm is capped by the link, so a ratio is a lower bound.",
    remedies=(_FASTER_LINK,),
    source="Linux, `Documentation/ABI/testing/sysfs-class-net`. The threshold is ngxlab's own.",
    while_measured=True,
    judge=every_host(_link_speed),
)
