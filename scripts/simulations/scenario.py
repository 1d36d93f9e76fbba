"""What is simulated: log-normal values of arms in blocks, with a seed that fixes every one of them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from ngxlab.runs.planning import randomised_blocks
from ngxlab_verdict import Experiment, Question
from numpy.typing import NDArray

CORRELATION = 0.3
"""Between the metrics of one trial."""


@dataclass(frozen=True)
class Scenario:
    """``noise``: standard deviation of a trial's ln(value). ``effects``: (arm, metric) -> true ratio to the baseline.

    ``tails``: of the noise, normal or Student's t with 3 degrees of freedom. ``noisy_arm``: the last arm's noise is so
    many times that of the others, ``noisy_baseline`` says the same of the first; ``noisy_metrics``: in how many of the
    metrics, from the first, 0 for all. ``step``: values, of 1000 or so, are rounded to multiples of it.
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
    step: float = 0.0
    first_position: float = 1.0
    rise: float = 1.0
    block: float = 0.05
    seed: int = 1

    def with_seed(self, seed: int) -> "Scenario":
        return replace(self, seed=seed)

    def with_effects(self, effects: dict[tuple[int, int], float]) -> "Scenario":
        return replace(self, effects=effects)

    @property
    def question(self) -> Question:
        names = [_metric(index) for index in range(self.metrics)]
        return Question(primary=None if self.primary is None else names[: self.primary])

    def experiments(self, count: int) -> Iterator[Experiment]:
        random = np.random.default_rng(self.seed)
        arms, metrics = [_arm(i) for i in range(self.arms)], [_metric(i) for i in range(self.metrics)]
        for _ in range(count):
            values = 1000 * np.exp(self._logs(random))
            yield Experiment(arms, metrics, np.round(values / self.step) * self.step if self.step else values)

    def truth(self, arm: str, metric: str) -> float:
        """The true ratio to the baseline."""
        return self.effects.get((int(arm[1:]), int(metric[1:])), 1.0)

    def _logs(self, random: np.random.Generator) -> NDArray[np.float64]:
        shape = (self.metrics, self.arms, self.blocks)
        own, common = self._draw(random, shape), self._draw(random, (1, *shape[1:]))
        noise = self.noise * (np.sqrt(1 - CORRELATION) * own + np.sqrt(CORRELATION) * common)
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


def _arm(index: int) -> str:
    return f"a{index}"


def _metric(index: int) -> str:
    return f"m{index}"
