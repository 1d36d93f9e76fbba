"""The rates of one stream that runs, set one after the other by an agent, which reports each at once.

Between two rates nothing is due until all that is under way has been answered, so that each request belongs to one
rate, and a rate that piled up requests leaves nothing to the next. What the rates are and what becomes of them is up
to the subclass. All instants are of the trial's own loop; whatever ends the trial, what was measured is reported.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ngxlab_contracts.telemetry import CapacityFound, CapacityStep, CurveStep

from ngxlab_worker.capacity.goal import percentiles
from ngxlab_worker.capacity.search import Step
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.engines import RATE_LEAD_US, Answered, Progress, SteeredRates

WATCH_US = 50_000
"""How often a step is looked at, to cut it short."""
DRAIN_US = 2_000
"""How often it is asked whether the last requests have been answered."""

Steered = CapacityStep | CapacityFound | CurveStep


@dataclass
class Current:
    """A step from when its rate was set. ``before``, ``earlier``: the counts before it. ``end_us`` is moved where it is
    cut short; from ``closed`` on it is final. ``at_end``: what had become of its requests by then. ``answered_us``:
    when the last of them had been answered."""

    step: Step
    begin_us: int
    end_us: int
    before: Answered
    earlier: Progress
    closed: bool = False
    cut_short: bool = False
    at_end: Progress | None = None
    answered_us: int = 0

    def progress(self, now: Progress) -> Progress:
        earlier = self.earlier
        return now._replace(served=now.served - earlier.served, failed=now.failed - earlier.failed)


class SteeredSteps(ABC):
    """The steps of one stream, which has had its warm-up: its requests are waited for, then the steps begin. ``report``
    is given each step, and what there is to say at the end; ``clock`` is the trial's. Call :meth:`act` at
    :attr:`next_due_us`, and :meth:`end` in any case."""

    def __init__(self, stream: str, rates: SteeredRates, report: Callable[..., None], *, clock: HostClock) -> None:
        self._stream = stream
        self._rates = rates
        self._report = report
        self._clock = clock
        self._begin_us = clock.now_us()
        self._current: Current | None = None
        self._ended = False
        self.next_due_us: int | None = self._begin_us + RATE_LEAD_US
        self._set(0, self.next_due_us)

    @abstractmethod
    def _next(self, elapsed_s: float) -> Step | None:
        """The next step, ``elapsed_s`` after the first could begin; ``None``: there is none."""

    @abstractmethod
    def _is_lost(self, step: Step, progress: Progress, elapsed_s: float) -> bool:
        """Whether the rest of the step can tell nothing more, ``elapsed_s`` after its beginning."""

    @abstractmethod
    def _tell(self, current: Current, found: Answered, at_end: Progress) -> Steered:
        """What became of a step, all of whose requests have been answered or have failed."""

    @abstractmethod
    def _last_words(self, t_us: int) -> Steered | None:
        """What there is to say at the end, if anything."""

    def is_due(self, t_us: int) -> bool:
        return self.next_due_us is not None and t_us >= self.next_due_us

    def act(self, t_us: int) -> None:
        """Do what is due at ``t_us``."""
        current = self._current
        if current is not None and not current.closed:
            self._watch(current, t_us)
            return
        now = self._rates.progress()
        if current is not None and current.at_end is None:
            current.at_end = current.progress(now)
        if now.outstanding or not self._rates.has_begun():
            self.next_due_us = t_us + DRAIN_US
            return
        if current is not None and current.at_end is not None:
            current.answered_us = max(t_us, current.end_us)
            found = self._rates.answered().since(current.before)
            self._report(self._tell(current, found, current.at_end))
        self._proceed()

    def end(self, t_us: int) -> None:
        """Report what was found by now, once; a step that is not over says nothing."""
        if self._ended:
            return
        self._ended, self._current, self.next_due_us = True, None, None
        words = self._last_words(t_us)
        if words is not None:
            self._report(words)

    def _told(self, current: Current, found: Answered, at_end: Progress) -> dict[str, Any]:
        """The fields of :class:`ngxlab_contracts.telemetry.TriedRate`, without the number."""
        return {
            "t_us": current.end_us,
            "stream": self._stream,
            "begun_us": current.begin_us,
            "per_s": current.step.per_s,
            "achieved_per_s": at_end.served / (current.end_us - current.begin_us) * 1e6,
            "due": found.due,
            "served": found.served,
            "failed": found.failed,
            **percentiles(found.latency),
        }

    def _set(self, per_s: float, begin_us: int) -> None:
        self._rates.set(per_s, begin_us - self._clock.wall_minus_monotonic_us)

    def _proceed(self) -> None:
        """Nothing is under way: begin the next step, or end."""
        self._current = None
        step = self._next((self._clock.now_us() - self._begin_us) / 1e6)
        if step is None:
            self.end(self._clock.now_us())
            return
        before, earlier = self._rates.answered(), self._rates.progress()
        begin_us = self._clock.now_us() + RATE_LEAD_US
        self._set(step.per_s, begin_us)
        self._current = Current(step, begin_us, begin_us + round(step.duration_s * 1e6), before, earlier)
        self._await(self._current, begin_us)

    def _watch(self, current: Current, t_us: int) -> None:
        progress, elapsed_s = current.progress(self._rates.progress()), (t_us - current.begin_us) / 1e6
        if t_us < current.end_us and self._is_lost(current.step, progress, elapsed_s):
            current.end_us, current.cut_short = t_us, True
        if current.end_us - RATE_LEAD_US > t_us:
            self._await(current, t_us)
            return
        current.closed, current.end_us = True, max(current.end_us, self._clock.now_us() + RATE_LEAD_US)
        self._set(0, current.end_us)
        self.next_due_us = current.end_us

    def _await(self, current: Current, t_us: int) -> None:
        self.next_due_us = min(t_us + WATCH_US, current.end_us - RATE_LEAD_US)
