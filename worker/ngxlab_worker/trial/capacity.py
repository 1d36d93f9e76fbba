"""A search for the capacity within a trial: it chooses the rates of a stream that runs, and reports what it found. A
step that can no longer meet its goal is cut short."""

from collections.abc import Callable

from ngxlab_contracts.streams import CapacitySpec
from ngxlab_contracts.telemetry import CapacityFound, CapacityStep

from ngxlab_worker.capacity.goal import bounds_of, is_lost, judge, unmet
from ngxlab_worker.capacity.search import Search, Step
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.engines import Answered, Progress, SteeredRates
from ngxlab_worker.trial.steered import Current, SteeredSteps

LAST_ANSWERS_S, LAST_ANSWERS_SHARE = 0.2, 0.1
"""What the last step leaves of the window for its answers, beyond the longest bound of the goal; at most that share."""


class CapacitySearch(SteeredSteps):
    """It lasts for ``window_s`` from now. ``report`` is given each step and the end. ``lot``, another in each
    trial: what is drawn follows from it."""

    def __init__(
        self,
        stream: str,
        spec: CapacitySpec,
        rates: SteeredRates,
        report: Callable[[CapacityStep | CapacityFound], None],
        *,
        clock: HostClock,
        window_s: float,
        lot: str,
    ) -> None:
        super().__init__(stream, rates, report, clock=clock)
        longest_s = max((bound_us / 1e6 for _, _, bound_us in bounds_of(spec.goal)), default=0)
        reserve_s = min(LAST_ANSWERS_S + longest_s, LAST_ANSWERS_SHARE * window_s)
        self._spec = spec
        self._search = Search(spec, window_s - reserve_s, lot)

    def _next(self, elapsed_s: float) -> Step | None:
        return self._search.next(elapsed_s)

    def _is_lost(self, step: Step, progress: Progress, elapsed_s: float) -> bool:
        return is_lost(self._spec.goal, step.per_s, step.duration_s, progress)

    def _tell(self, current: Current, found: Answered, at_end: Progress) -> CapacityStep:
        result, reason = judge(self._spec.goal, found, at_end.backlog)
        self._search.add(current.step, result)
        told = self._told(current, found, at_end)
        missed = unmet(self._spec.goal, found, at_end.backlog) if result == "missed" else []
        return CapacityStep(**told, number=len(self._search.steps), result=result, reason=reason, unmet=missed)

    def _last_words(self, t_us: int) -> CapacityFound:
        found = self._search.found()
        return CapacityFound(
            t_us=t_us,
            stream=self._stream,
            ended=found.ended,
            met_per_s=found.met_per_s,
            missed_per_s=found.missed_per_s,
            capacity_per_s=found.capacity_per_s,
            low_per_s=found.low_per_s,
            high_per_s=found.high_per_s,
        )
