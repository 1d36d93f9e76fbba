"""A search for the capacity within a trial: it sets the rates of a stream that runs, and reports each step at once.

Between two steps nothing is due until all that is under way has been answered, so that each request belongs to one
step, and a step that piled up requests leaves nothing to the next. A step that can no longer meet its goal is cut
short. All instants are of the trial's own loop; whatever ends the trial, what was found by then is reported.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ngxlab_contracts.streams import CapacitySpec
from ngxlab_contracts.telemetry import CapacityFound, CapacityStep

from ngxlab_worker.capacity.goal import bounds_of, is_lost, judge, percentiles
from ngxlab_worker.capacity.search import Search, Step
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.engines import RATE_LEAD_US, Answered, Progress, SteeredRates

WATCH_US = 50_000
"""How often a step is looked at, to cut it short."""
DRAIN_US = 2_000
"""How often it is asked whether the last requests have been answered."""
LAST_ANSWERS_S, LAST_ANSWERS_SHARE = 0.2, 0.1
"""What the last step leaves of the window for its answers, beyond the longest bound of the goal; at most that share."""


@dataclass
class _Current:
    """A step from when its rate was set. ``before``, ``earlier``: the counts before it. ``end_us`` is moved where it is
    cut short; from ``closed`` on it is final. ``at_end``: what had become of its requests by then."""

    step: Step
    begin_us: int
    end_us: int
    before: Answered
    earlier: Progress
    closed: bool = False
    at_end: Progress | None = None

    def progress(self, now: Progress) -> Progress:
        earlier = self.earlier
        return now._replace(served=now.served - earlier.served, failed=now.failed - earlier.failed)


class CapacitySearch:
    """Of one stream, which has had its warm-up: its requests are waited for, then the search begins, and lasts for
    ``window_s`` from now. ``report`` is given each step and the end; ``clock`` is the trial's. Call :meth:`act` at
    :attr:`next_due_us`, and :meth:`end` in any case."""

    def __init__(
        self,
        stream: str,
        spec: CapacitySpec,
        rates: SteeredRates,
        report: Callable[[CapacityStep | CapacityFound], None],
        *,
        clock: HostClock,
        window_s: float,
    ) -> None:
        longest_s = max((bound_us / 1e6 for _, _, bound_us in bounds_of(spec.goal)), default=0)
        reserve_s = min(LAST_ANSWERS_S + longest_s, LAST_ANSWERS_SHARE * window_s)
        self._stream = stream
        self._spec = spec
        self._rates = rates
        self._report = report
        self._clock = clock
        self._search = Search(spec, window_s - reserve_s)
        self._begin_us = clock.now_us()
        self._current: _Current | None = None
        self._ended = False
        self.next_due_us: int | None = self._begin_us + RATE_LEAD_US
        self._set(0, self.next_due_us)

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
            self._conclude(current, current.at_end)
        self._proceed()

    def end(self, t_us: int) -> None:
        """Report what was found by now, once; a step that is not over says nothing."""
        if self._ended:
            return
        self._ended, self._current, self.next_due_us = True, None, None
        found = self._search.found()
        self._report(
            CapacityFound(
                t_us=t_us,
                stream=self._stream,
                ended=found.ended,
                met_per_s=found.met_per_s,
                missed_per_s=found.missed_per_s,
                capacity_per_s=found.capacity_per_s,
                low_per_s=found.low_per_s,
                high_per_s=found.high_per_s,
            )
        )

    def _set(self, per_s: float, begin_us: int) -> None:
        self._rates.set(per_s, begin_us - self._clock.wall_minus_monotonic_us)

    def _proceed(self) -> None:
        """Nothing is under way: begin the next step, or end."""
        self._current = None
        step = self._search.next((self._clock.now_us() - self._begin_us) / 1e6)
        if step is None:
            self.end(self._clock.now_us())
            return
        before, earlier = self._rates.answered(), self._rates.progress()
        begin_us = self._clock.now_us() + RATE_LEAD_US
        self._set(step.per_s, begin_us)
        self._current = _Current(step, begin_us, begin_us + round(step.duration_s * 1e6), before, earlier)
        self._await(self._current, begin_us)

    def _watch(self, current: _Current, t_us: int) -> None:
        progress, step = current.progress(self._rates.progress()), current.step
        if is_lost(self._spec.goal, step.per_s, step.duration_s, progress):
            current.end_us = min(current.end_us, t_us)
        if current.end_us - RATE_LEAD_US > t_us:
            self._await(current, t_us)
            return
        current.closed, current.end_us = True, max(current.end_us, self._clock.now_us() + RATE_LEAD_US)
        self._set(0, current.end_us)
        self.next_due_us = current.end_us

    def _await(self, current: _Current, t_us: int) -> None:
        self.next_due_us = min(t_us + WATCH_US, current.end_us - RATE_LEAD_US)

    def _conclude(self, current: _Current, at_end: Progress) -> None:
        found = self._rates.answered().since(current.before)
        result, reason = judge(self._spec.goal, found, at_end.backlog)
        self._search.add(current.step, result)
        self._report(
            CapacityStep(
                t_us=current.end_us,
                stream=self._stream,
                number=len(self._search.steps),
                begun_us=current.begin_us,
                per_s=current.step.per_s,
                achieved_per_s=at_end.served / (current.end_us - current.begin_us) * 1e6,
                due=found.due,
                served=found.served,
                failed=found.failed,
                **percentiles(found.latency),
                result=result,
                reason=reason,
            )
        )
