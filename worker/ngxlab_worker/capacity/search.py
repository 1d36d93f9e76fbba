"""The search for the highest rate that meets a goal: which rate next, for how long, and what was found.

Pure: it is told what each step gave and how much time is gone, and asks for the next one. Three stages, by what is
known (``bounds``, ``estimate``):

1. Short steps, each twice the rate of the one before, until one misses the goal: an overload is never more than double.
2. Short steps about the posterior's median, until it is narrow, but not more than so many.
3. Full steps about the median, and around it once it is narrow, until time is up. They confirm the bounds, and the
   interval goes on narrowing.

Where about the median is drawn, by a lot of the trial's own. Without it, searches of a limit that does not scatter
would make the same steps and find the same number: the same error in all blocks, which no interval shows, and values so
alike that five pairs of them tell nothing apart.

A short step that missed is made again, which costs little: a stall must not end a stage. Where a step misled all the
same, the median moves back by itself; plain bisection never would.
A step is long enough for its goal, up to an eighth of the window: a p99 rests on some 1,000 requests. A full step is
as long as it can be, since a queue that grows slowly is seen late: where it may be L seconds long, a rate that is L / T
above the limit is met in a step of T seconds. That is the bias of any search of that duration, and not in the interval.

A void step is repeated. Where three in a row are void, the generator is at its limit there: lower rates are tried, and
if nothing else bounds those that remain, the search ends with that.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ngxlab_contracts.streams import CapacitySpec

from ngxlab_worker.capacity.bounds import Result, Tried, classify, relevant_bounds
from ngxlab_worker.capacity.estimate import Posterior, posterior
from ngxlab_worker.capacity.goal import requests_wanted

SCAN_FACTOR = 2.0
FULL_SHARE, SHORT_SHARE = 1 / 8, 1 / 40
"""Parts of the window."""
SHORTEST_S, LONGEST_S = 0.5, 10.0
NARROW = 0.05
"""The ratio of the ends of the 80 % interval, minus 1, from which on steps are full ones."""
MOST_SHORT = 8
"""Short steps after the first that missed; more of them would not make up for their shortness."""
AROUND = (0.5, 0.3, 0.7)
"""Quantiles of the posterior at which steps are made in turn once it is narrow."""
DRAWN = 0.15
"""By how much the quantile of a step may be drawn to either side."""
LEAST_OF_FULL = 0.6
"""What is left of a window is used if it is at least so much of a full step."""

WIDEST = 1.25
"""The ratio of the ends of the 95 % interval up to which a search has found something: where many steps were void, the
middle of a wider one says little. Searches of 60 s have 1.02 to 1.06 (docs/simulations.md)."""

VOIDS = 3
"""So many void steps in a row show the generator's limit."""

Ended = Literal["found", "every-rate", "no-rate", "generator", "unfinished"]


@dataclass(frozen=True)
class Step:
    per_s: float
    duration_s: float


@dataclass(frozen=True)
class Found:
    """As in :class:`ngxlab_contracts.telemetry.CapacityFound`; requests a second."""

    ended: Ended
    met_per_s: float | None
    missed_per_s: float | None
    capacity_per_s: float | None = None
    low_per_s: float | None = None
    high_per_s: float | None = None


@dataclass
class Search:
    """``window_s``: how long it may take in all, with what lies between the steps. ``lot``: what is drawn follows from
    it."""

    spec: CapacitySpec
    window_s: float
    lot: str = ""
    steps: list[Tried] = field(default_factory=list)
    _around: int = 0
    _random: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.lot)  # noqa: S311

    @property
    def full_s(self) -> float:
        return min(LONGEST_S, max(SHORTEST_S, self.window_s * FULL_SHARE))

    def next(self, elapsed_s: float) -> Step | None:
        """The next step, ``elapsed_s`` after the search began; ``None``: it has ended."""
        if self._decided() is not None:
            return None
        per_s, duration_s = self._choice()
        left_s = self.window_s - elapsed_s
        if duration_s > left_s:
            duration_s = left_s
            if duration_s < LEAST_OF_FULL * self.full_s:
                return None
        return Step(per_s, duration_s)

    def add(self, step: Step, result: Result) -> None:
        weight = min(1.0, step.duration_s / self.full_s)
        self.steps.append(Tried(step.per_s, 1.0 if weight >= LEAST_OF_FULL else weight, result))

    def found(self) -> Found:
        """What is known now, as the result of a search that ends."""
        met, missed = relevant_bounds(self.steps)
        ended = self._decided()
        if ended is not None:
            return Found(ended, met, missed)
        if missed is None and _misses(limited(self.steps)) > _misses(self.steps):
            return Found("generator", met, None)
        results = {step.result for step in self.steps}
        if not {"met", "missed"} <= results:
            return Found("unfinished", met, missed)
        where = self._where(self.steps)
        capacity, low, high = (where.quantile(share) for share in (0.5, 0.025, 0.975))
        return Found("found" if high <= WIDEST * low else "unfinished", met, missed, capacity, low, high)

    def _decided(self) -> Ended | None:
        """Whether more steps could change nothing."""
        if classify(self.spec.to_per_s, self.steps) == "lower":
            return "every-rate"
        if classify(self.spec.from_per_s, self.steps) == "upper":
            return "no-rate"
        if classify(self.spec.from_per_s, limited(self.steps)) == "upper":
            return "generator"
        return None

    def _choice(self) -> tuple[float, float]:
        steps = limited(self.steps)
        if (void := self._void_run()) % VOIDS:
            return self.steps[-void].per_s, self._length(self.steps[-void].per_s, full=self.steps[-void].is_full)
        if steps and _is_first_miss(steps) and not steps[-1].is_full:
            return steps[-1].per_s, self._length(steps[-1].per_s, full=False)
        scanned = _scanned(steps)
        if scanned is None:
            return self._scan(steps)
        where = self._where(steps)
        narrow = where.width() <= NARROW
        full = narrow or sum(not step.is_full for step in steps[scanned:]) >= MOST_SHORT
        self._around += narrow
        share = AROUND[self._around % len(AROUND)] if narrow else 0.5
        share += self._random.uniform(-DRAWN, DRAWN)
        per_s = _rounded(min(where.quantile(share), max(self.spec.from_per_s, SCAN_FACTOR * _highest_met(steps))))
        return per_s, self._length(per_s, full=full)

    def _void_run(self) -> int:
        """How many of the last steps were void."""
        return next((run for run, step in enumerate(reversed(self.steps)) if step.result != "void"), len(self.steps))

    def _scan(self, steps: Sequence[Tried]) -> tuple[float, float]:
        highest = _highest_met(steps)
        per_s = min(max(self.spec.from_per_s, SCAN_FACTOR * highest), self.spec.to_per_s)
        return per_s, self._length(per_s, full=highest >= self.spec.to_per_s)

    def _length(self, per_s: float, *, full: bool) -> float:
        if full:
            return self.full_s
        wanted_s = requests_wanted(self.spec.goal) / per_s
        return min(self.full_s, max(SHORTEST_S, self.window_s / 60, min(wanted_s, self.window_s * SHORT_SHARE)))

    def _where(self, steps: Sequence[Tried]) -> Posterior:
        return posterior(steps, self.spec.from_per_s, self.spec.to_per_s)


def limited(steps: Sequence[Tried]) -> list[Tried]:
    """The steps without those that are void; in place of :data:`VOIDS` in a row at a rate, two that missed."""
    kept: list[Tried] = []
    void = 0
    for number, step in enumerate(steps):
        if step.result != "void":
            kept.append(step)
            void = 0
            continue
        void = void + 1 if number and steps[number - 1].per_s == step.per_s else 1
        if void % VOIDS == 0:
            kept += 2 * [step._replace(result="missed")]
    return kept


def _scanned(steps: Sequence[Tried]) -> int | None:
    """After how many steps two have missed the goal above all that met it; ``None``: not yet."""
    highest = above = 0.0
    for number, step in enumerate(steps, 1):
        if step.result == "met":
            above = 0 if step.per_s > highest else above
            highest = max(highest, step.per_s)
        else:
            above += step.per_s > highest
        if above >= 2:
            return number
    return None


def _is_first_miss(steps: Sequence[Tried]) -> bool:
    """Whether the last step missed the goal, and none has at its rate before."""
    last = steps[-1]
    return last.result == "missed" and all(step.per_s != last.per_s for step in steps[:-1] if step.result == "missed")


def _misses(steps: Sequence[Tried]) -> int:
    return sum(step.result == "missed" for step in steps)


def _highest_met(steps: Sequence[Tried]) -> float:
    return max((step.per_s for step in steps if step.result == "met"), default=0)


def _rounded(per_s: float) -> float:
    return float(f"{per_s:.5g}")
