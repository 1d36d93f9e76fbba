"""Searches for the capacity of systems whose capacity is known, by the controller that drives trials.

A cliff (a rate limit), a soft edge (a capacity that scatters from one tenth of a second to the next, so that the share
of failures rises as the integral of an error function), and two queues, whose customers are simulated one by one: M/M/1
and M/D/1. One step in twenty may be bad: it misses its goal whatever its rate. Beside it, plain bisection: one step a
rate, never looked at again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import exp, inf, isfinite, log, nan
from typing import NamedTuple

import numpy as np
from ngxlab.analysis.verdict.figures import figure
from ngxlab_contracts.streams import CapacityGoal, CapacitySpec
from ngxlab_verdict import Experiment, Question, judge
from ngxlab_worker.capacity.search import Search
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm

from scripts.simulations.tables import Cells, Study

HEADS = {
    "capacity": (
        "capacity of a | bad steps | interval covers | its width | error | off by more than 3 % |"
        " bisection: error | off by more than 3 %"
    ),
    "capacities": "capacity of two arms, 5 blocks | bad steps | told apart | interval of an arm covers | its width",
}
"""Widths and errors are medians."""
WINDOW_S = 60.0
FAR = 0.03
PAUSE_S = 0.1
"""Between two steps, while what is in flight is answered."""
GOAL_S, ERRORS = 0.005, 0.001
Met = Callable[[float, float, np.random.Generator], bool]
"""Whether a step of a rate and a duration meets its goal."""


class System(NamedTuple):
    capacity_per_s: float
    met: Met

    def scaled(self, factor: float) -> "System":
        """The same system, ``factor`` times as fast, its goal in proportion."""
        met = self.met
        return System(factor * self.capacity_per_s, lambda rate, s, random: met(rate / factor, s * factor, random))


def cliff(limit: float = 1000) -> System:
    """Everything beyond a rate fails, as with limit_req without a burst."""
    return System(limit / (1 - ERRORS), lambda rate, s, random: max(0.0, 1 - limit / rate) <= ERRORS)


def soft_edge(mean: float = 1000, deviation: float = 0.02) -> System:
    """What fails is what exceeds the capacity of its tenth of a second, which is drawn from a normal distribution."""

    def failed(rate: float) -> float:
        z = (rate / mean - 1) / deviation
        return float(deviation * mean * (z * norm.cdf(z) + norm.pdf(z)) / rate)

    def met(rate: float, s: float, random: np.random.Generator) -> bool:
        capacities = random.normal(mean, deviation * mean, max(1, round(10 * s)))
        return float(np.maximum(0, rate - capacities).mean() / rate) <= ERRORS

    return System(brentq(lambda rate: failed(rate) - ERRORS, mean / 2, mean * 2), met)


def queue(capacity_per_s: float, services: Callable[[np.random.Generator, int], NDArray[np.float64]]) -> System:
    """A server with one queue, empty at a step's beginning: the p99 of the time in it, Poisson arrivals."""

    def met(rate: float, s: float, random: np.random.Generator) -> bool:
        count = int(random.poisson(rate * s))
        if not count:
            return True
        service = services(random, count)
        gaps = random.exponential(1 / rate, count)
        # Lindley: waiting = how far the sum of (service - gap) is above its lowest value so far.
        drift = np.concatenate(([0.0], np.cumsum(service[:-1] - gaps[1:])))
        spent = drift - np.minimum.accumulate(drift) + service
        return float((spent > GOAL_S).mean()) <= 0.01

    return System(capacity_per_s, met)


def m_m_1(served_per_s: float = 10_000) -> System:
    """Time in the system is exponential, with rate mu - lambda."""
    return queue(served_per_s + log(0.01) / GOAL_S, lambda random, n: random.exponential(1 / served_per_s, n))


def m_d_1(served_per_s: float = 10_000) -> System:
    """Far beyond one service time its waiting time is exponential (Cramer and Lundberg's approximation)."""
    each_s = 1 / served_per_s

    def slower(rate: float) -> float:
        decay = brentq(lambda x: rate * np.expm1(x * each_s) - x, 1, served_per_s)
        return (1 - rate * each_s) / (rate * each_s * exp(decay * each_s) - 1) * exp(-decay * (GOAL_S - each_s))

    capacity = brentq(lambda rate: slower(rate) - 0.01, 0.8 * served_per_s, 0.99 * served_per_s)
    return queue(capacity, lambda random, n: np.full(n, each_s))


@dataclass
class Trial:
    """One search of one system."""

    system: System
    bad: float
    random: np.random.Generator
    from_per_s: float
    to_per_s: float

    @classmethod
    def drawn(cls, system: System, bad: float, random: np.random.Generator) -> "Trial":
        """The range is drawn anew, so that a capacity is at no special place of it."""
        begin = system.capacity_per_s * exp(-random.uniform(1, 4))
        return cls(system, bad, random, begin, system.capacity_per_s * exp(random.uniform(0.5, 2)))

    def met(self, per_s: float, duration_s: float) -> bool:
        return self.random.random() >= self.bad and self.system.met(per_s, duration_s, self.random)

    def found(self) -> tuple[float, float, float]:
        """The capacity that a search finds, and its interval; NaN where it finds none."""
        goal = CapacityGoal(p99_ms=1000 * GOAL_S, errors_percent=100 * ERRORS)
        search = Search(
            CapacitySpec(goal=goal, from_per_s=self.from_per_s, to_per_s=self.to_per_s), WINDOW_S, self._lot()
        )
        elapsed_s = 0.0
        while (step := search.next(elapsed_s)) is not None:
            search.add(step, "met" if self.met(step.per_s, step.duration_s) else "missed")
            elapsed_s += step.duration_s + PAUSE_S
        found = search.found()
        if found.capacity_per_s is None or found.low_per_s is None or found.high_per_s is None:
            return nan, nan, nan
        return found.capacity_per_s, found.low_per_s, found.high_per_s

    def _lot(self) -> str:
        return str(self.random.integers(2**32))

    def bisected(self) -> float:
        """What bisection says after the same time, with steps of 5 s: halfway, in logarithms, of its last bracket."""
        low, high = self.from_per_s, self.to_per_s
        for _ in range(int(WINDOW_S / (5 + PAUSE_S))):
            middle = (low * high) ** 0.5
            low, high = (middle, high) if self.met(middle, 5) else (low, middle)
        return float((low * high) ** 0.5)


def searched(name: str, bad: float, count: int, seed: int) -> Cells:
    system, random = SYSTEMS[name](), np.random.default_rng(seed)
    trials = [Trial.drawn(system, bad, random) for _ in range(count)]
    rates = np.array([trial.found() for trial in trials]) / system.capacity_per_s
    estimate, low, high = rates[~np.isnan(rates).any(axis=1)].T
    covered = float(((low <= 1) & (high >= 1)).mean())
    bisected = np.array([trial.bisected() for trial in trials]) / system.capacity_per_s
    off = (cell for found in (estimate, bisected) for cell in _off(found))
    return [covered, f"{100 * float(np.median(high / low - 1)):.1f} %", *off]


def _off(found: NDArray[np.float64]) -> Cells:
    """For estimates as ratios to the truth: the median error, and how many err by more than :data:`FAR`."""
    error = np.abs(found - 1)
    return [f"{100 * float(np.median(error)):.2f} %", float((error > FAR).mean())]


def told_apart(name: str, ratio: float, bad: float, count: int, seed: int) -> Cells:
    """How often the verdict on five blocks says that one arm has more capacity than the other, of half as many
    experiments; and of how many of their arms the interval over blocks has the truth."""
    system, random = SYSTEMS[name](), np.random.default_rng(seed)
    arms = [system, system.scaled(ratio)]
    claims = 0
    intervals: list[tuple[float, float]] = []
    for _ in range(count // 2):
        values = [[capacity(arm, bad, system.capacity_per_s, random) for _ in range(5)] for arm in arms]
        experiment = Experiment(["a", "b"], ["capacity_per_s"], np.array([values]))
        (claim,) = judge(experiment, Question(primary=["capacity_per_s"]))
        claims += claim.verdict in {"better", "worse"}
        intervals += [_interval(found, arm) for found, arm in zip(values, arms, strict=True)]
    low, high = np.array(intervals).T
    covered = float(((low <= 1) & (high >= 1)).mean())
    return [claims / (count // 2), covered, f"{100 * float(np.median(high / low - 1)):.1f} %"]


def _interval(found: list[float], system: System) -> tuple[float, float]:
    """Of the mean over those searches that have a value, as ratios to the truth."""
    of_mean = figure([value / system.capacity_per_s for value in found if isfinite(value)])
    return of_mean.low or 0, of_mean.high or inf


def capacity(system: System, bad: float, about_per_s: float, random: np.random.Generator) -> float:
    """The result of a search in a range about ``about_per_s``: all arms of an experiment have the same."""
    return Trial(system, bad, random, about_per_s / 10, about_per_s * 3).found()[0]


SYSTEMS: dict[str, Callable[[], System]] = {"cliff": cliff, "soft edge": soft_edge, "M/M/1": m_m_1, "M/D/1": m_d_1}


def rows() -> Iterator[Study]:
    for name in SYSTEMS:
        for bad in (0.0, 0.05):
            yield Study("capacity", f"{name} | {100 * bad:.0f} %", partial(searched, name, bad))
    for name in SYSTEMS:
        for ratio, what in ((1.0, "twins"), (1.1, "one has 10 % more")):
            for bad in (0.0, 0.05):
                title = f"{name}: {what} | {100 * bad:.0f} %"
                yield Study("capacities", title, partial(told_apart, name, ratio, bad))
