"""The perturbations of a trial: they begin with its measured window, are reported, and end before its streams.

The requests that they make are left out of nginx's own count of those of the load.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ngxlab_contracts.telemetry import ActionEvent

from ngxlab_worker.collectors import ParseError, Sampler, SampleTargets, StubStatus, read_status
from ngxlab_worker.nginx import NginxProcess
from ngxlab_worker.perturbations import Perturbations
from ngxlab_worker.trial.recorder import Recorder

Report = Callable[[int, int], None]
"""Called with the worker's index and its process id."""


class WorkerWatch:
    """``targets``: what the sampler reads so far. ``report`` is called for each new worker."""

    def __init__(self, nginx: NginxProcess, targets: SampleTargets, sampler: Sampler, report: Report) -> None:
        self._nginx = nginx
        self._status_address = targets.status_address
        self._targets = targets
        self._sampler = sampler
        self._report = report

    def look(self) -> None:
        """Have the sampler read the present workers, each new one in the place of one that has ended.

        A stopped nginx is not asked for its status, since waiting for its answer would delay all other readings.
        """
        known = self._targets.nginx_workers
        places = successors(known, self._nginx.workers())
        address = None if self._nginx.halts.any else self._status_address
        if (places, address) == (known, self._targets.status_address):
            return
        self._targets = replace(self._targets, nginx_workers=places, status_address=address)
        self._sampler.update(self._targets)
        for index, (before, now) in enumerate(zip(known, places, strict=True)):
            if before != now:
                self._report(index, now)


def successors(known: Sequence[int], living: Sequence[int]) -> list[int]:
    """The workers by place. Those alive keep their places, new ones take the places of those that ended, in order.

    As long as old and new workers run side by side, at the beginning of a reload, nothing changes.
    """
    if len(living) > len(known):
        return list(known)
    new = iter([pid for pid in living if pid not in known])
    return [pid if pid in living else next(new, pid) for pid in known]


class RequestAccounting:
    """nginx's own count of a load's requests, which the analysis compares with the generators' (docs/checks.md).

    It counts from the moment it is created, before any generator has started; nothing without an address.
    """

    def __init__(self, status_address: tuple[str, int] | None, sampler: Sampler) -> None:
        self._address = status_address
        self._sampler = sampler
        self._polls_before = sampler.polls
        self._own_polls = 0
        status = self._poll()
        self._requests_before = status.requests if status else None
        self._own_polls = 0  # that poll is included in what it read
        self.own_calls = 0
        """Requests that our perturbations have made to this nginx since then."""

    def requests(self) -> int | None:
        """Requests so far, without our own; ``None`` where nginx did not answer.

        They include requests whose answers a generator did not wait for, at most one a connection.
        """
        status = self._poll()
        if status is None or self._requests_before is None:
            return None
        own = self._sampler.polls - self._polls_before + self._own_polls + self.own_calls
        return status.requests - self._requests_before - own

    def _poll(self) -> StubStatus | None:
        if self._address is None:
            return None
        self._own_polls += 1
        try:
            return read_status(self._address)
        except (OSError, ParseError):
            return None


@dataclass(frozen=True)
class Intervention:
    """``watch``: needed where an action may stop or replace nginx's workers. ``calls``: perturbations whose answered
    actions are requests to the nginx under test, which ``accounting`` must not count."""

    perturbations: Perturbations
    recorder: Recorder
    watch: WorkerWatch | None = None
    calls: frozenset[str] = frozenset()
    accounting: RequestAccounting | None = None
    _complained: set[str] = field(default_factory=set)

    def begin(self, window_us: int, window_s: float) -> None:
        self.perturbations.begin(window_us, window_s)

    def read(self) -> None:
        """Record the actions since the last call, and follow nginx's workers. Call it before each sample."""
        for event in self.perturbations.news():
            self.recorder.event(event)
            self._complain(event)
            if self.accounting is not None and event.perturbation in self.calls and event.status is not None:
                self.accounting.own_calls += 1
        if self.watch is not None:
            self.watch.look()

    def end(self) -> None:
        self.perturbations.end()
        self.read()

    def _complain(self, event: ActionEvent) -> None:
        """Note the first failure of each perturbation. Every action has an event of its own besides."""
        if not event.ok and event.perturbation not in self._complained:
            self._complained.add(event.perturbation)
            self.recorder.note(
                "warning", "perturbation-failed", f"{event.perturbation} ({event.action}): {event.detail}"
            )
