"""What is said of goals that were not searched for, of systems whose capacity at each goal is known.

M/M/1, whose customers are simulated one by one, and a cliff: latency is the same up to a rate, beyond which requests
pile up. Searches are those of the controller that drives trials, at a goal of 5 ms, and nothing is said of looser ones;
curves have twelve rates. One step in twenty may be bad: it is slow whatever its rate. What is said of five blocks is
the product's own function.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from ngxlab.analysis.schemas import SizedRate
from ngxlab.analysis.sizing import FULL, SHORT_WEIGHT, Step, between, derived
from ngxlab_contracts.streams import CapacityGoal, CapacitySpec
from ngxlab_worker.capacity.search import Search

from scripts.simulations.capacity import PAUSE_S, WINDOW_S
from scripts.simulations.tables import Cells, Study

HEADS = {
    "sizing": (
        "system | tried by | bad steps | goal, p99 | measured | interval covers | its width | derived capacity off by"
    ),
}
"""Widths are medians, the last is the mean."""
SEARCHED_MS, BLOCKS = 5.0, 5
SERVED_PER_S, CLIFF_PER_S = 10_000.0, 1_000.0
_BAD_US = 1e6

P99 = Callable[[float, float, np.random.Generator], float]
"""The p99 of a step of a rate and a duration, in microseconds; infinite where throughput did not follow."""


class System(NamedTuple):
    p99_us: P99
    capacity: Callable[[float], float]
    """At a bound in milliseconds."""
    about_per_s: float


def m_m_1() -> System:
    """Time in the system is exponential, with rate mu - lambda."""

    def p99_us(rate: float, s: float, random: np.random.Generator) -> float:
        count = int(random.poisson(rate * s))
        service, gaps = random.exponential(1 / SERVED_PER_S, count), random.exponential(1 / rate, count)
        drift = np.concatenate(([0.0], np.cumsum(service[:-1] - gaps[1:])))
        spent = drift - np.minimum.accumulate(drift) + service
        return float(np.quantile(spent, 0.99)) * 1e6 if rate <= SERVED_PER_S / 0.97 else math.inf

    return System(p99_us, lambda goal_ms: SERVED_PER_S + math.log(0.01) / goal_ms * 1000, SERVED_PER_S)


def cliff() -> System:
    """Some 2 ms, by chance a fifth more or less, up to the limit."""

    def p99_us(rate: float, s: float, random: np.random.Generator) -> float:
        return float(1_500 * np.exp(0.05 * random.standard_normal())) if rate <= CLIFF_PER_S else math.inf

    return System(p99_us, lambda goal_ms: CLIFF_PER_S, CLIFF_PER_S)


def searching(system: System, bad: float, random: np.random.Generator) -> list[Step]:
    """The steps of one search."""
    goal = CapacityGoal(p99_ms=SEARCHED_MS)
    spec = CapacitySpec(goal=goal, from_per_s=system.about_per_s / 10, to_per_s=system.about_per_s * 3)
    search, elapsed_s, tried = (
        Search(spec, WINDOW_S, str(random.integers(2**32))),
        0.0,
        list[tuple[float, float, float]](),
    )
    while (step := search.next(elapsed_s)) is not None:
        is_bad = random.random() < bad
        value_us = _BAD_US if is_bad else system.p99_us(step.per_s, step.duration_s, random)
        search.add(step, "met" if value_us <= 1000 * SEARCHED_MS else "missed")
        tried.append((step.per_s, step.duration_s, value_us))
        elapsed_s += step.duration_s + PAUSE_S
    longest_s = max(duration_s for _, duration_s, _ in tried)
    return [_as_step(one, longest_s) for one in tried]


def _as_step(tried: tuple[float, float, float], longest_s: float) -> Step:
    per_s, duration_s, value_us = tried
    full = duration_s >= FULL * longest_s
    return Step(per_s, value_us, 1.0 if full else SHORT_WEIGHT, value_us <= 1000 * SEARCHED_MS)


def curving(system: System, bad: float, random: np.random.Generator) -> list[Step]:
    """The rates of one curve."""
    rates = np.linspace(0.55, 1.1, 12) * system.about_per_s
    return [
        Step(float(rate), _BAD_US if random.random() < bad else system.p99_us(float(rate), WINDOW_S / 12, random))
        for rate in rates
    ]


SYSTEMS: dict[str, Callable[[], System]] = {"M/M/1": m_m_1, "cliff": cliff}
TRIED = {"searches": searching, "curves": curving}


def sized(
    system: System, tried: str, bad: float, goals_ms: Sequence[float], random: np.random.Generator
) -> list[SizedRate]:
    """What is said of one experiment of five blocks at each goal."""
    blocks = [TRIED[tried](system, bad, random) for _ in range(BLOCKS)]
    return [derived([between(steps, 1000 * goal_ms) for steps in blocks]) for goal_ms in goals_ms]


class Case(NamedTuple):
    name: str
    tried: str
    bad: float
    goal_ms: float


def shares(case: Case, count: int, seed: int) -> Cells:
    system, random = SYSTEMS[case.name](), np.random.default_rng(seed)
    found = [sized(system, case.tried, case.bad, [case.goal_ms], random)[0] for _ in range(count)]
    truth = system.capacity(case.goal_ms)
    told = np.array([(one.per_s, one.low, one.high) for one in found if one.per_s is not None], np.float64)
    if not len(told):
        return [0.0, "–", "–", "–"]
    estimate, low, high = told.T / truth
    return [
        len(told) / count,
        float(((low <= 1) & (high >= 1)).mean()),
        f"{100 * float(np.median(high / low - 1)):.1f} %",
        f"{100 * float(estimate.mean() - 1):+.1f} %",
    ]


def rows() -> Iterator[Study]:
    for name, tried, goals_ms in (
        ("M/M/1", "searches", (3.0, 4.0)),
        ("M/M/1", "curves", (2.0, 3.0, 5.0, 8.0)),
        ("cliff", "searches", (3.0,)),
        ("cliff", "curves", (3.0, 8.0)),
    ):
        for bad in (0.0, 0.05):
            for goal_ms in goals_ms:
                title = f"{name} | {tried} | {100 * bad:.0f} % | {goal_ms:g} ms"
                yield Study("sizing", title, partial(shares, Case(name, tried, bad, goal_ms)))
