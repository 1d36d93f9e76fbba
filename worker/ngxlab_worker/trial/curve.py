"""A curve within a trial: rates that were planned, or numbers of connections, one after the other, each for the same
part of the window.

At a rate that nginx cannot follow requests pile up: such a step is cut short once those that wait for a connection
will take the rest of its time to be answered. Its throughput is that of all its requests, up to the last answer, during
which nginx had always enough to do; its latency grows with its length, so that nothing follows from it. Steps leave a
tenth of the window for the answers in between.

With a number of connections, each sends its next request as soon as the last one is answered, so that nothing piles up.
Throughput lies between what was answered and what was begun in the step's time; between these, which are a request of
each connection apart, it is the number of connections divided by the mean latency (Little's law).
"""

import random
from collections.abc import Callable
from typing import Any

from ngxlab_contracts.streams import CurveSpec
from ngxlab_contracts.telemetry import CurveStep

from ngxlab_worker.capacity.goal import LATE_SHARE, LATE_US, quantile
from ngxlab_worker.capacity.search import Step
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.engines import Answered, Progress, SteeredRates
from ngxlab_worker.engines.histogram import Counts
from ngxlab_worker.trial.steered import Current, SteeredSteps

PILED_UP_S = 0.1
"""Fewer requests than arrive in so much time may wait for a connection at any rate."""
OF_SLOT = 0.9
"""What a step has of its part of the window; the rest is for answers."""
LEAST = 0.6
"""A step that has less of its duration left to it than this is not begun."""
BEYOND = 0.01
"""A generator's own delay is judged at p99."""
BUSY = 0.9
"""The share of a core from which on a process of a closed loop may be what limits it."""


class LoadCurve(SteeredSteps):
    """It lasts for ``window_s`` from now. ``lot`` draws the order of the rates, and is another in each trial."""

    def __init__(
        self,
        stream: str,
        spec: CurveSpec,
        rates: SteeredRates,
        report: Callable[[CurveStep], None],
        *,
        clock: HostClock,
        window_s: float,
        lot: str,
    ) -> None:
        super().__init__(stream, rates, report, clock=clock)
        self._left = ordered(spec, lot)
        self._is_closed = bool(spec.connections)
        self._step_s = OF_SLOT * window_s / len(self._left)
        self._window_s = window_s
        self._number = 0

    def _next(self, elapsed_s: float) -> Step | None:
        duration_s = min(self._step_s, self._window_s - elapsed_s)
        if not self._left or duration_s < LEAST * self._step_s:
            return None
        return Step(self._left.pop(0), duration_s)

    def _is_lost(self, step: Step, progress: Progress, elapsed_s: float) -> bool:
        waiting, served = progress.backlog, progress.served
        if self._is_closed or waiting <= max(PILED_UP_S * step.per_s, 1) or not served:
            return False
        return elapsed_s + waiting * elapsed_s / served > self._step_s

    def _tell(self, current: Current, found: Answered, at_end: Progress) -> CurveStep:
        self._number += 1
        told = self._told(current, found, at_end)
        if self._is_closed:
            return self._tell_closed(current, found, at_end, told)
        # Its first answer came as long after its first request: before, the step could serve none.
        first_us = current.begin_us + _shortest_us(found)
        if at_end.backlog and not found.failed:
            served, until_us = found.served, current.answered_us
        else:
            served, until_us = at_end.served, current.end_us
        told["achieved_per_s"] = served / max(1, until_us - first_us) * 1e6
        return CurveStep(**told, number=self._number, cut_short=current.cut_short, generator_late=_is_late(found))

    def _tell_closed(self, current: Current, found: Answered, at_end: Progress, told: dict[str, Any]) -> CurveStep:
        connections, seconds = round(current.step.per_s), (current.end_us - current.begin_us) / 1e6
        told["per_s"] = found.due / seconds
        if found.served:
            by_latency_per_s = connections / mean_s(found.latency)
            told["achieved_per_s"] = min(max(by_latency_per_s, at_end.served / seconds), found.served / seconds)
        busy = found.busy_s / self._rates.processes / max(1, current.answered_us - current.begin_us) * 1e6
        return CurveStep(
            **told, number=self._number, cut_short=False, generator_late=busy > BUSY, connections=connections
        )

    def _last_words(self, t_us: int) -> None:
        return None


def ordered(spec: CurveSpec, lot: str) -> list[float]:
    """The rates, or the numbers of connections, as they are tried."""
    rates = sorted(spec.points)
    if spec.order == "random":
        random.Random(lot).shuffle(rates)  # noqa: S311
    return rates


def mean_s(latency: Counts) -> float:
    """Of at least one request; a microsecond at least."""
    return max(1.0, float(latency.latency_us @ latency.count) / latency.total) / 1e6


def _shortest_us(found: Answered) -> int:
    answered = found.latency.latency_us[found.latency.count > 0]
    return int(answered[0]) if len(answered) else 0


def _is_late(found: Answered) -> bool:
    own_us, latency_us = quantile(found.lateness, BEYOND), quantile(found.latency, BEYOND)
    return own_us is not None and latency_us is not None and own_us > max(LATE_US, LATE_SHARE * latency_us)
