"""The limits of a trial, and what limited an arm."""

from collections import Counter
from collections.abc import Callable, Sequence

from ngxlab_contracts.sentences import Sentence, listed, say

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.schemas.trial import Bottleneck, Resource, ResourceUse
from ngxlab.analysis.statistics.histograms import merge
from ngxlab.analysis.summary.bottleneck.cpu import BUSY, generator_use, host_use, worker_busy_share, worker_use
from ngxlab.analysis.summary.bottleneck.devices import accept_queue_use, disk_use, network_use

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


_RULES: tuple[Callable[[TrialRecord], ResourceUse | None], ...] = (
    generator_use,
    worker_use,
    host_use,
    network_use,
    disk_use,
    accept_queue_use,
    upstream_use,
)
"""Rules in the order in which they explain one another: a generator without CPU hides what is behind it, a busy worker
fills the listen queue."""


def resource_uses(record: TrialRecord) -> list[ResourceUse]:
    """What was measured; the first that limits is the trial's bottleneck."""
    return [use for rule in _RULES if (use := rule(record)) is not None]


def bottleneck(trials: Sequence[TrialSummary]) -> Bottleneck | None:
    """What limited most of an arm's usable trials, with the evidence of one of them; ``None`` without a trial."""
    if not trials:
        return None
    by_trial = [(_limit(trial.resources), trial) for trial in trials]
    resource, count = Counter(limit for limit, _ in by_trial).most_common(1)[0]
    having = sorted((trial for limit, trial in by_trial if limit == resource), key=_rate)
    shown = having[(len(having) - 1) // 2].resources
    limiting = next((use for use in shown if use.limits), None)
    return Bottleneck(
        resource=resource,
        trials=count,
        of_trials=len(trials),
        evidence=limiting.evidence if limiting is not None else _without(shown),
        resources=shown,
    )


def _limit(resources: Sequence[ResourceUse]) -> Resource | None:
    return next((use.resource for use in resources if use.limits), None)


def _rate(trial: TrialSummary) -> float:
    return trial.requests_per_s or 0.0


def _without(resources: Sequence[ResourceUse]) -> Sentence:
    if not resources:
        return say("no resource was measured")
    return say("no resource was at its limit: {seen}", seen=listed((use.evidence for use in resources), "; "))
