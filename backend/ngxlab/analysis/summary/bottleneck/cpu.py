"""CPU as a limit: of the generators' threads, and of nginx's workers, each of which can use one core at most."""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, fixed, listed, say

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas.trial import Resource, ResourceUse
from ngxlab.analysis.summary.host import cpu_percent_by_mode, role_cores

BUSY = 0.90
"""An event loop that is busy for more than this fraction of the time answers late."""
_WAITS = 0.05
_ASLEEP = 0.001
"""A thread that runs no more than this only waits for the others' end."""
_RUN, _DELAY = "ngxlab_process_run_seconds_total", "ngxlab_process_run_delay_seconds_total"


class Use(NamedTuple):
    """Shares of the time: running, and waiting for a CPU although ready to run."""

    ran: float
    waited: float

    @property
    def is_busy(self) -> bool:
        return self.ran > BUSY or (self.waited > _WAITS and self.ran + self.waited > BUSY)


def generator_use(record: TrialRecord) -> ResourceUse | None:
    """The busiest thread. Its waiting is the mean of those of its process that do not sleep, as wrk's first does."""
    uses = [(use, host) for host in record.loading for use in _threads(host)]
    if not uses:
        return None
    busiest, host = max([one for one in uses if one[0].is_busy] or uses, key=lambda one: sum(one[0]))
    threads = sum(stream.threads for host in record.loading for stream in host.spec.streams)
    seen = say(
        "the busiest of {threads} generator threads {said}{taken}",
        threads=threads,
        said=_said(busiest),
        taken=_taken(record, host, busiest),
    )
    return _use("generator CPU", busiest, seen)


def worker_use(record: TrialRecord) -> ResourceUse | None:
    """All workers where each is busy; else the busiest."""
    target = record.target
    uses = _workers(target) if target is not None else []
    if not uses or target is None:
        return None
    busy = [use for use in uses if use.is_busy]
    busiest, least = max(busy or uses, key=sum), min(uses, key=sum)
    if len(busy) == len(uses) > 1:
        seen = say(
            "each of {workers} workers {said} or more{taken}",
            workers=len(uses),
            said=_said(least),
            taken=_taken(record, target, least),
        )
        return _use("all workers", least, seen)
    which = say("the busiest of {workers} workers" if len(uses) > 1 else "the only worker", workers=len(uses))
    seen = say("{which} {said}{taken}", which=which, said=_said(busiest), taken=_taken(record, target, busiest))
    return _use("one worker", busiest, seen)


def host_use(record: TrialRecord) -> ResourceUse | None:
    """The CPUs of the target together, whoever uses them: a limit if nginx's workers wait for them."""
    target = record.target
    modes = cpu_percent_by_mode(target) if target is not None else {}
    if target is None or not modes:
        return None
    busy = 1 - (modes.get("idle", 0.0) + modes.get("iowait", 0.0)) / 100
    waited = max((use.waited for use in _workers(target)), default=0.0)
    limits = busy > BUSY and waited > _WAITS
    who = _users(cpu_users(record, target)) if limits else ""
    seen = say("the target's CPUs were busy {busy:.0f} % of the time{who}", busy=100 * busy, who=who)
    return ResourceUse(
        resource="all CPUs of the target",
        utilisation_percent=100 * busy,
        saturation_percent=100 * waited,
        errors=None,
        limits=limits,
        evidence=say("{seen}, and a worker waited for one {waited:.0f} % of it", seen=seen, waited=100 * waited)
        if waited > _WAITS
        else seen,
    )


def worker_busy_share(record: TrialRecord) -> float | None:
    """The busy fraction of the busiest worker's time, waiting included."""
    uses = _workers(record.target) if record.target is not None else []
    return max((sum(use) for use in uses), default=None)


def _workers(host: HostRecord) -> list[Use]:
    indexes = sorted({series.labels["index"] for series in host.series.find(_RUN, role="nginx-worker")})
    return [use for index in indexes if (use := _rates(host, role="nginx-worker", index=index)) is not None]


def _threads(host: HostRecord) -> Iterator[Use]:
    for stream in host.spec.streams:
        window = host.active_window(stream)
        found = host.series.find("ngxlab_thread_run_seconds_total", role="generator", stream=stream.key)
        ran = [gain.per_second for one in found if window and (gain := one.increase(window)) is not None]
        if not ran or window is None:
            continue
        waited = host.series.rate(window, _DELAY, role="generator", stream=stream.key)
        yield Use(max(ran), (waited or 0.0) / max(sum(share > _ASLEEP for share in ran), 1))


def _rates(host: HostRecord, **labels: str) -> Use | None:
    if host.window is None:
        return None
    ran, waited = (host.series.rate(host.window, name, **labels) for name in (_RUN, _DELAY))
    return Use(ran, waited or 0.0) if ran is not None else None


def _use(resource: Resource, use: Use, seen: Sentence) -> ResourceUse:
    return ResourceUse(
        resource=resource,
        utilisation_percent=100 * use.ran,
        saturation_percent=100 * use.waited,
        errors=None,
        limits=use.is_busy,
        evidence=seen,
    )


def _taken(record: TrialRecord, host: HostRecord, use: Use) -> str:
    """Who had the CPUs of this host for which ``use`` waited, where that made it a limit."""
    return _users(cpu_users(record, host)) if use.waited > _WAITS and use.is_busy else ""


def _said(use: Use) -> Sentence:
    waited = say(" and waited for a CPU {waited:.0f} %", waited=100 * use.waited) if use.waited > _WAITS else ""
    return say("ran {ran:.0f} % of the time{waited}", ran=100 * use.ran, waited=waited)


OTHERS = "other processes"
_BUSY_MODES = ("user", "nice", "system")
GROUPS: Mapping[str, tuple[str, ...]] = {
    "nginx": ("nginx-master", "nginx-worker"),
    "load generators": ("generator",),
    "upstream servers": ("upstream",),
    "ngxlab's agent": ("agent", "helper"),
}
_NAMED_PERCENT = 0.5


def cpu_users(record: TrialRecord, host: HostRecord) -> dict[str, float]:
    """Percent of the time of all CPUs by group of processes, the largest first.

    :data:`OTHERS` are all processes outside the trial. Several hosts may be one machine. Empty if CPU times or the
    number of CPUs were not read.
    """
    modes = cpu_percent_by_mode(host)
    if not modes or host.inventory is None:
        return {}
    here = [one for one in record.hosts if one.machine == host.machine]
    percent_a_core = 100 / host.inventory.cpu.logical
    used = {
        group: percent_a_core * math.fsum(role_cores(one, role) or 0.0 for one in here for role in roles)
        for group, roles in GROUPS.items()
    }
    busy = math.fsum(modes.get(mode, 0.0) for mode in _BUSY_MODES)
    used[OTHERS] = max(0.0, busy - math.fsum(used.values()))
    return dict(sorted(used.items(), key=lambda one: one[1], reverse=True))


def _users(users: Mapping[str, float]) -> str:
    """E.g. `` (nginx used 60 % of all CPUs, other processes 35 %)``; empty where nothing was measured."""
    named = [(fixed(group), percent) for group, percent in users.items() if percent >= _NAMED_PERCENT]
    if not named:
        return ""
    first = say("{group} used {percent:.0f} % of all CPUs", group=named[0][0], percent=named[0][1])
    others = (say("{group} {percent:.0f} %", group=group, percent=percent) for group, percent in named[1:])
    return say(" ({users})", users=listed([first, *others]))
