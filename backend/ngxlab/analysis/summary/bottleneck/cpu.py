"""CPU as a limit: of the generators' threads, and of nginx's workers, each of which can use one core at most."""

from collections.abc import Iterator
from typing import NamedTuple

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas.bottleneck import Resource, ResourceUse
from ngxlab.analysis.summary.bottleneck.cpu_users import cpu_users, said
from ngxlab.analysis.summary.host import cpu_percent_by_mode

BUSY = 0.90
"""Of the time. A share of an event loop's core beyond which it answers late."""
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
    seen = f"the busiest of {threads} generator threads {_said(busiest)}"
    return _use("generator CPU", busiest, seen + _taken(record, host, busiest))


def worker_use(record: TrialRecord) -> ResourceUse | None:
    """All workers where each is busy; else the busiest."""
    target = record.target
    uses = _workers(target) if target is not None else []
    if not uses or target is None:
        return None
    busy = [use for use in uses if use.is_busy]
    busiest, least = max(busy or uses, key=sum), min(uses, key=sum)
    if len(busy) == len(uses) > 1:
        seen = f"each of {len(uses)} workers {_said(least)} or more"
        return _use("all workers", least, seen + _taken(record, target, least))
    which = f"the busiest of {len(uses)} workers" if len(uses) > 1 else "the only worker"
    return _use("one worker", busiest, f"{which} {_said(busiest)}{_taken(record, target, busiest)}")


def host_use(record: TrialRecord) -> ResourceUse | None:
    """The CPUs of the target together, whoever uses them: a limit if nginx's workers wait for them."""
    target = record.target
    modes = cpu_percent_by_mode(target) if target is not None else {}
    if target is None or not modes:
        return None
    busy = 1 - (modes.get("idle", 0.0) + modes.get("iowait", 0.0)) / 100
    waited = max((use.waited for use in _workers(target)), default=0.0)
    limits = busy > BUSY and waited > _WAITS
    who = f" ({said(cpu_users(record, target))})" if limits else ""
    seen = f"the target's CPUs were busy {100 * busy:.0f} % of the time{who}"
    return ResourceUse(
        resource="all CPUs of the target",
        utilisation_percent=100 * busy,
        saturation_percent=100 * waited,
        errors=None,
        limits=limits,
        evidence=f"{seen}, and a worker waited for one {100 * waited:.0f} % of it" if waited > _WAITS else seen,
    )


def worker_busy_share(record: TrialRecord) -> float | None:
    """Of the busiest worker, waiting included."""
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


def _use(resource: Resource, use: Use, seen: str) -> ResourceUse:
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
    who = said(cpu_users(record, host)) if use.waited > _WAITS and use.is_busy else ""
    return f" ({who})" if who else ""


def _said(use: Use) -> str:
    waited = f" and waited for a CPU {100 * use.waited:.0f} %" if use.waited > _WAITS else ""
    return f"ran {100 * use.ran:.0f} % of the time{waited}"
