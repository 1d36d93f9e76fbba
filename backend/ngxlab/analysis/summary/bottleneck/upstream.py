"""Upstream servers as a limit: their own CPU, or that requests wait for them while nginx has nothing to do."""

from ngxlab_contracts.sentences import listed, say

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas.trial import ResourceUse
from ngxlab.analysis.statistics.histograms import merge
from ngxlab.analysis.summary.bottleneck.cpu import BUSY, worker_busy_share

_IDLE = 0.50
_MOST = 0.80
_OWN_POLL = 1
"""The agent's poll counts itself as an active connection that writes its response."""


def upstream_use(record: TrialRecord) -> ResourceUse | None:
    """``None`` in a trial without upstream servers."""
    hosts = [host for host in record.hosts if host.spec.upstream_servers]
    if not hosts or record.target is None:
        return None
    cores = [share for host in hosts for share in _servers(host)]
    busiest = max(cores, default=None)
    waiting = _waiting_share(record.target)
    free = worker_busy_share(record)
    is_busy = busiest is not None and busiest > BUSY
    waits = waiting is not None and waiting > _MOST and free is not None and free < _IDLE
    seen = (
        [say("the busiest upstream server used {busiest:.0f} % of a core", busiest=100 * busiest)]
        if busiest is not None
        else []
    )
    if waiting is not None:
        seen.append(
            say("{waiting:.0f} % of what clients had in progress waited for upstream servers", waiting=100 * waiting)
        )
    if free is not None:
        seen.append(say("nginx's busiest worker was busy {free:.0f} % of the time", free=100 * free))
    return ResourceUse(
        resource="upstream servers",
        utilisation_percent=100 * busiest if busiest is not None else None,
        saturation_percent=100 * waiting if waiting is not None else None,
        errors=None,
        limits=is_busy or waits,
        evidence=listed(seen) if seen else say("nothing of the upstream servers was measured"),
    )


def _servers(host: HostRecord) -> list[float]:
    """Cores of each process."""
    if host.window is None:
        return []
    window = host.window
    found = host.series.find("ngxlab_process_run_seconds_total", role="upstream")
    return [gain.per_second for one in found if (gain := one.increase(window)) is not None]


def _waiting_share(target: HostRecord) -> float | None:
    """By nginx's log, the part of the requests' time that upstream servers took; without such a log, the part of the
    connections that nginx counts as writing, which is also what it calls waiting for an upstream server."""
    logged = [
        merge(one.histogram for one in target.window_intervals(None, q)) for q in ("upstream_time", "request_time")
    ]
    if logged[0] is not None and logged[1] is not None:
        upstream, whole = (one.summarise().mean_us for one in logged if one is not None)
        return min(1.0, upstream / whole) if whole > 0 else None
    if target.window is None:
        return None
    medians = []
    for name in ("nginx_connections_writing", "nginx_connections_active"):
        found = target.series.find(name)
        median = found[0].median(target.window) if found else None
        if median is None:
            return None
        medians.append(median - _OWN_POLL)
    return max(0.0, medians[0] / medians[1]) if medians[1] > 0 else None
