"""What is simulated, and how often claims were true of it.

Log-normal values of arms in blocks, with a seed that fixes every one of them.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from ngxlab.runs.planning import randomised_blocks
from ngxlab_verdict import Claim, Experiment, Question, judge
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Drawn = Callable[[np.random.Generator, tuple[int, ...]], Floats]


def _outliers(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    odd = 9 * (random.random(shape) < 0.05) + 1
    return np.asarray(random.standard_normal(shape) * odd / math.sqrt(0.95 + 0.05 * 100), np.float64)


def _two_modes(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return np.asarray(0.95 * random.choice((-1, 1), shape) + math.sqrt(1 - 0.95**2) * random.standard_normal(shape))


LAWS: Mapping[str, Drawn] = {
    "normal": lambda random, shape: random.standard_normal(shape),
    "t3": lambda random, shape: np.asarray(random.standard_t(3, shape) / math.sqrt(3), np.float64),
    "Laplace": lambda random, shape: random.laplace(0, math.sqrt(0.5), shape),
    "skewed": lambda random, shape: np.asarray(random.exponential(1, shape) - 1, np.float64),
    "outliers": _outliers,
    "two modes": _two_modes,
}
"""Each of variance 1 and mean 0: Student's t with 3 degrees of freedom, one trial in twenty with ten times the
deviation of the others, and two levels that are far apart, among others."""
CORRELATION = 0.3
"""Between the metrics of one trial."""
MARGIN = 0.02
_STALLED = 0.7


@dataclass(frozen=True)
class Scenario:
    """``noise``: standard deviation of a trial's ln(value). ``effects``: (arm, metric) -> true ratio to the baseline.

    ``law``: of the noise, one of :data:`LAWS`. ``follows``: its correlation with that of the trial before, in the order
    of the run. ``drift``: the true ratio of the run's last trial to its first, with even steps between them.
    ``missing``: the share of trials without a value. ``stalls``: the share of the last arm's trials that lose 30 %.
    ``counted``: values are counts of this mean. ``noisy_arm``: the last arm's noise is so many times that of the
    others, ``noisy_baseline`` says the same of the first; ``noisy_metrics``: in how many of the metrics, from the
    first, 0 for all. ``unequal``: the standard deviation of each arm is multiplied by a log-normal of this one, drawn
    anew in each experiment. ``noises``: of the first metrics, if they differ. ``step``: values, of 1000 or so, are
    rounded to multiples of it.
    ``first_position``: the true ratio of the block's first trial to its others. ``rise``:
    that of its last trial to its first, with even steps between them.
    ``block``: standard deviation that all trials of a block share. ``primary``: how many metrics, from the first, are
    declared primary; ``None`` declares no order.
    """

    arms: int
    blocks: int
    noise: float
    metrics: int = 10
    primary: int | None = 10
    effects: dict[tuple[int, int], float] = field(default_factory=dict)
    law: str = "normal"
    follows: float = 0.0
    drift: float = 1.0
    missing: float = 0.0
    stalls: float = 0.0
    counted: float = 0.0
    noisy_arm: float = 1.0
    noisy_baseline: float = 1.0
    noisy_metrics: int = 0
    unequal: float = 0.0
    noises: tuple[float, ...] = ()
    step: float = 0.0
    first_position: float = 1.0
    rise: float = 1.0
    block: float = 0.05
    seed: int = 1

    @property
    def question(self) -> Question:
        names = [f"m{index}" for index in range(self.metrics)]
        return Question(primary=None if self.primary is None else names[: self.primary])

    def experiments(self, count: int) -> Iterator[Experiment]:
        random = np.random.default_rng(self.seed)
        arms, metrics = [f"a{i}" for i in range(self.arms)], [f"m{i}" for i in range(self.metrics)]
        for _ in range(count):
            yield Experiment(arms, metrics, self._values(random))

    @property
    def mean_of_stalls(self) -> float:
        """The true (geometric) mean of the arm that stalls."""
        return float(_STALLED**self.stalls)

    def truth(self, arm: str, metric: str) -> float:
        return self.effects.get((int(arm[1:]), int(metric[1:])), 1.0)

    def _values(self, random: np.random.Generator) -> Floats:
        values = 1000 * np.exp(self._logs(random))
        if self.counted:
            values = random.poisson(values * self.counted / 1000).astype(np.float64)
        if self.step:
            values = np.round(values / self.step) * self.step
        if self.missing:
            values[:, random.random(values.shape[1:]) < self.missing] = np.nan
        return np.asarray(values, np.float64)

    def _logs(self, random: np.random.Generator) -> Floats:
        shape = (self.metrics, self.arms, self.blocks)
        ordered = self.follows != 0 or self.drift != 1 or self.first_position != 1 or self.rise != 1
        order = self._order(int(random.integers(2**31))) if ordered else None
        own, common = self._draw(random, shape, order), self._draw(random, (1, *shape[1:]), order)
        noise = self.noise * (np.sqrt(1 - CORRELATION) * own + np.sqrt(CORRELATION) * common)
        for metric, deviation in enumerate(self.noises):
            noise[metric] *= deviation / self.noise
        if self.unequal:
            noise *= np.exp(self.unequal * random.standard_normal((1, self.arms, 1)))
        noisy = noise[: self.noisy_metrics or None]
        noisy[:, -1] *= self.noisy_arm
        noisy[:, 0] *= self.noisy_baseline
        noise += self.block * random.standard_normal((self.metrics, 1, self.blocks))
        if order is not None:
            places = order % self.arms / (self.arms - 1)
            noise += np.log(self.first_position) * (places == 0) + np.log(self.rise) * places
            noise += np.log(self.drift) * order / (order.size - 1)
        if self.stalls:
            noise[:, -1] += np.log(_STALLED) * (random.random(self.blocks) < self.stalls)
        for (arm, metric), ratio in self.effects.items():
            noise[metric, arm] += np.log(ratio)
        return np.asarray(noise, np.float64)

    def _order(self, seed: int) -> NDArray[np.int64]:
        """The number of each trial, from 0, as runs are planned. ``[arm, block]``."""
        order = np.zeros((self.arms, self.blocks), np.int64)
        for number, trial in enumerate(randomised_blocks([str(arm) for arm in range(self.arms)], self.blocks, seed)):
            order[int(trial.arm), trial.block - 1] = number
        return order

    def _draw(
        self, random: np.random.Generator, shape: tuple[int, int, int], order: NDArray[np.int64] | None
    ) -> Floats:
        """``[metric, arm, block]``, of variance 1."""
        drawn = LAWS[self.law](random, shape)
        if not self.follows or order is None:
            return drawn
        in_order = np.empty_like(drawn).reshape(shape[0], -1)
        in_order[:, order.ravel()] = drawn.reshape(shape[0], -1)
        for trial in range(1, in_order.shape[1]):
            fresh = math.sqrt(1 - self.follows**2) * in_order[:, trial]
            in_order[:, trial] = self.follows * in_order[:, trial - 1] + fresh
        return np.asarray(in_order[:, order], np.float64)


@dataclass
class Outcome:
    """Counts over ``experiments``.

    ``false``: with at least one false primary claim. ``covered``: whose intervals of the first metric are all right.
    ``found``, ``sought``: claims of the right direction, of all true effects on the first metric. ``plain``,
    ``exploratory``: right intervals of exploratory claims, and all of them.
    """

    experiments: int = 0
    false: int = 0
    covered: int = 0
    found: int = 0
    sought: int = 0
    plain: int = 0
    exploratory: int = 0

    def add(self, claims: Sequence[Claim], scenario: Scenario) -> None:
        judged = [(claim, scenario.truth(claim.arm, claim.metric)) for claim in claims]
        primary = [pair for pair in judged if pair[0].family == "primary"]
        first = [pair for pair in primary if pair[0].metric == "m0"]
        self.experiments += 1
        self.false += any(is_false(*pair) for pair in primary)
        self.covered += all(covers(*pair) for pair in first)
        self.sought += sum(true != 1 for _, true in first)
        self.found += sum(is_found(*pair) for pair in first)
        intervals = [pair for pair in judged if pair[0].family == "exploratory" and pair[0].low is not None]
        self.exploratory += len(intervals)
        self.plain += sum(covers(*pair) for pair in intervals)


def simulate(scenario: Scenario, count: int) -> Outcome:
    outcome = Outcome()
    for experiment in scenario.experiments(count):
        outcome.add(judge(experiment, scenario.question), scenario)
    return outcome


def is_false(claim: Claim, true: float) -> bool:
    """A difference is claimed that does not exist, or the wrong way round, or an equivalence that is none."""
    if claim.verdict == "equivalent":
        return not 1 / (1 + MARGIN) < true < 1 + MARGIN
    return (claim.verdict == "better" and true <= 1) or (claim.verdict == "worse" and true >= 1)


def is_found(claim: Claim, true: float) -> bool:
    return claim.verdict == ("better" if true > 1 else "worse") and true != 1


def covers(claim: Claim, true: float) -> bool:
    return claim.low is None or claim.high is None or claim.low <= true <= claim.high
