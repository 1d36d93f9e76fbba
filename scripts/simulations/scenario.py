"""What is simulated, and how often claims were true of it.

Log-normal values of arms in blocks, with a seed that fixes every one of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from ngxlab.runs.planning import randomised_blocks
from ngxlab_verdict import Claim, Experiment, Question, judge
from numpy.typing import NDArray

CORRELATION = 0.3
"""Between the metrics of one trial."""
MARGIN = 0.02


@dataclass(frozen=True)
class Scenario:
    """``noise``: standard deviation of a trial's ln(value). ``effects``: (arm, metric) -> true ratio to the baseline.

    ``tails``: of the noise, normal or Student's t with 3 degrees of freedom. ``noisy_arm``: the last arm's noise is so
    many times that of the others, ``noisy_baseline`` says the same of the first; ``noisy_metrics``: in how many of the
    metrics, from the first, 0 for all. ``unequal``: the standard deviation of each arm is multiplied by a log-normal of
    this one, drawn anew in each experiment. ``noises``: of the first metrics, if they differ. ``step``: values, of 1000
    or so, are rounded to multiples of it.
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
    tails: Literal["normal", "t3"] = "normal"
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
            values = 1000 * np.exp(self._logs(random))
            yield Experiment(arms, metrics, np.round(values / self.step) * self.step if self.step else values)

    def truth(self, arm: str, metric: str) -> float:
        return self.effects.get((int(arm[1:]), int(metric[1:])), 1.0)

    def _logs(self, random: np.random.Generator) -> NDArray[np.float64]:
        shape = (self.metrics, self.arms, self.blocks)
        own, common = self._draw(random, shape), self._draw(random, (1, *shape[1:]))
        noise = self.noise * (np.sqrt(1 - CORRELATION) * own + np.sqrt(CORRELATION) * common)
        for metric, deviation in enumerate(self.noises):
            noise[metric] *= deviation / self.noise
        if self.unequal:
            noise *= np.exp(self.unequal * random.standard_normal((1, self.arms, 1)))
        noisy = noise[: self.noisy_metrics or None]
        noisy[:, -1] *= self.noisy_arm
        noisy[:, 0] *= self.noisy_baseline
        noise += self.block * random.standard_normal((self.metrics, 1, self.blocks))
        if self.first_position != 1 or self.rise != 1:
            places = self._places(int(random.integers(2**31)))
            noise += np.log(self.first_position) * (places == 0) + np.log(self.rise) * places
        for (arm, metric), ratio in self.effects.items():
            noise[metric, arm] += np.log(ratio)
        return np.asarray(noise, np.float64)

    def _places(self, seed: int) -> NDArray[np.float64]:
        """Where the arm is in the block, as runs are planned: 0 is first and 1 last. ``[arm, block]``."""
        places = np.zeros((self.arms, self.blocks))
        planned = randomised_blocks([str(arm) for arm in range(self.arms)], self.blocks, seed)
        for place, trial in enumerate(planned):
            places[int(trial.arm), trial.block - 1] = place % self.arms / (self.arms - 1)
        return places

    def _draw(self, random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        if self.tails == "t3":
            return np.asarray(random.standard_t(3, shape) / np.sqrt(3), np.float64)
        return random.standard_normal(shape)


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
