"""Two runs compared, whose arms are the same: how often a difference is claimed that the arms do not have."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from ngxlab_verdict import Claim, Question, Sides, judge_independent_arms
from numpy.typing import NDArray

from scripts.simulations.outcome import covers, is_false, is_found
from scripts.simulations.scenario import Scenario

HEAD = (
    "two runs, noise | trials an arm | arms each | what else | a false claim | first metric covered | "
    "first metric claimed"
)
_METRICS = ("m0", "m1")


class TwoRuns(NamedTuple):
    """``noise`` and ``trials`` of each run. Each arm of the second is compared with the same arm of the first.

    ``true``: ratio of all arms of the second run to those of the first, in the first metric. ``between``: standard
    deviation of what all trials of a run share, on the log scale; it is no property of the arms, so a claim that rests
    on it is false.
    """

    noise: tuple[float, float]
    trials: tuple[int, int]
    arms: int
    true: float = 1.0
    between: float = 0.0

    def shares(self, count: int, random: np.random.Generator) -> list[float]:
        false = covered = found = 0
        for _ in range(count):
            claims = self._claims(random)
            first = [claim for claim in claims if claim.metric == "m0"]
            false += any(is_false(claim, self._truth(claim)) for claim in claims)
            covered += all(covers(claim, self.true) for claim in first)
            found += sum(
                is_found(claim, self.true) or (self.true == 1 and claim.verdict in _CLAIMED) for claim in first
            )
        return [false / count, covered / count, found / (count * self.arms)]

    def _truth(self, claim: Claim) -> float:
        return self.true if claim.metric == "m0" else 1.0

    def _claims(self, random: np.random.Generator) -> list[Claim]:
        first, second = (self._run(which, random) for which in (0, 1))
        second[0] *= self.true
        measured = {
            metric: {f"a{arm}": Sides(second[row, arm].tolist(), first[row, arm].tolist()) for arm in range(self.arms)}
            for row, metric in enumerate(_METRICS)
        }
        return judge_independent_arms(measured, Question(primary=_METRICS))

    def _run(self, which: int, random: np.random.Generator) -> NDArray[np.float64]:
        """``[metric, arm, block]``."""
        scenario = Scenario(self.arms, self.trials[which], self.noise[which], metrics=len(_METRICS))
        experiment = next(scenario.with_seed(int(random.integers(2**31))).experiments(1))
        return experiment.values * np.exp(self.between * random.standard_normal((len(_METRICS), 1, 1)))


_CLAIMED = ("better", "worse")


def rows() -> Iterator[tuple[str, Callable[..., list[float]]]]:
    for noise in (0.02, 0.10):
        for trials in (3, 5, 10):
            for arms in (1, 3):
                yield (
                    f"{100 * noise:g} % | {trials} | {arms} | nothing",
                    TwoRuns((noise, noise), (trials, trials), arms).shares,
                )
    yield "2 % and 10 % | 5 | 1 | nothing", TwoRuns((0.02, 0.10), (5, 5), 1).shares
    yield "2 % | 3 and 10 | 1 | nothing", TwoRuns((0.02, 0.02), (3, 10), 1).shares
    yield "10 % and 2 % | 3 and 10 | 1 | nothing", TwoRuns((0.10, 0.02), (3, 10), 1).shares
    yield "2 % | 5 | 1 | +20 %", TwoRuns((0.02, 0.02), (5, 5), 1, true=1.2).shares
    for between in (0.02, 0.05):
        title = f"2 % | 5 | 1 | runs scatter by {100 * between:g} %"
        yield title, TwoRuns((0.02, 0.02), (5, 5), 1, between=between).shares
