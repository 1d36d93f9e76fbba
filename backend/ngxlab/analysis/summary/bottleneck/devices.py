"""Disks, network devices and the listen queue as limits, on every host of a trial."""

from typing import NamedTuple

from ngxlab_contracts.sentences import fixed, say

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas.trial import ResourceUse

_BUSY_DISK = 0.90
_BUSY_LINK = 0.90
_REFUSALS = ("node_netstat_TcpExt_ListenOverflows", "node_netstat_TcpExt_ListenDrops")
DIRECTIONS = (("node_network_receive_bytes_total", "received"), ("node_network_transmit_bytes_total", "sent"))


class _Share(NamedTuple):
    """``waiting``: the mean number of operations in progress."""

    share: float
    waiting: float
    what: str


def disk_use(record: TrialRecord) -> ResourceUse | None:
    """The busiest disk of the target. Utilisation is the time with at least one operation in progress; a disk that
    serves several at once can do more, so that it limits only if operations wait as well (iostat(1), ``%util``)."""
    host = record.target
    if host is None or host.window is None:
        return None
    shares = []
    for series in host.series.find("node_disk_io_time_seconds_total"):
        device = series.labels["device"]
        busy = series.increase(host.window)
        queued = host.series.rate(host.window, "node_disk_io_time_weighted_seconds_total", device=device)
        if busy is not None:
            shares.append(_Share(busy.per_second, queued or 0.0, device))
    if not shares:
        return None
    busiest = max(shares)
    return ResourceUse(
        resource="disk",
        utilisation_percent=100 * busiest.share,
        saturation_percent=None,
        errors=None,
        limits=busiest.share > _BUSY_DISK and busiest.waiting > 1,
        evidence=say(
            "disk {what} was busy {share:.0f} % of the time, with {waiting:.1f} operations in progress on average",
            what=busiest.what,
            share=100 * busiest.share,
            waiting=busiest.waiting,
        ),
    )


def network_use(record: TrialRecord) -> ResourceUse | None:
    """The busiest device whose speed is known; loopback has none."""
    shares = [share for host in record.hosts for share in _links(record, host)]
    if not shares:
        return None
    busiest = max(shares)
    return ResourceUse(
        resource="network device",
        utilisation_percent=100 * busiest.share,
        saturation_percent=None,
        errors=None,
        limits=busiest.share > _BUSY_LINK,
        evidence=say("{what} {share:.0f} % of its link speed", what=busiest.what, share=100 * busiest.share),
    )


def _links(record: TrialRecord, host: HostRecord) -> list[_Share]:
    speeds = {nic.name: nic.speed_mbps for nic in host.inventory.nics} if host.inventory is not None else {}
    where = say(" of {host}", host=record.labels[host.host_id]) if len(record.hosts) > 1 else ""
    shares = []
    for name, verb in DIRECTIONS:
        for series in host.series.find(name):
            device, speed = series.labels["device"], speeds.get(series.labels["device"])
            gained = series.increase(host.window) if host.window is not None else None
            if gained is not None and speed:
                shares.append(
                    _Share(
                        8 * gained.per_second / (speed * 1e6),
                        0.0,
                        say("{device}{where} {verb}", device=device, where=where, verb=fixed(verb)),
                    )
                )
    return shares


def accept_queue_use(record: TrialRecord) -> ResourceUse | None:
    """Connections that the kernel turned away, as no worker had accepted those before them."""
    host = record.target
    if host is None or host.window is None:
        return None
    window = host.window
    gained = [
        gain for name in _REFUSALS for one in host.series.find(name) if (gain := one.increase(window)) is not None
    ]
    if not gained:
        return None
    refused = round(max(gain.amount for gain in gained))  # each overflow is counted as a drop too
    return ResourceUse(
        resource="accept queue",
        utilisation_percent=None,
        saturation_percent=None,
        errors=refused,
        limits=refused > 0,
        evidence=say("{refused:,} connections were dropped at the listen queue", refused=refused),
    )
