"""Effects of the factors of a factorial design, with their interactions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from ngxlab.analysis.factorial.effects import Factorial, factor_effects
from ngxlab.analysis.metrics import METRICS
from ngxlab.analysis.metrics.metric import keyed_metric
from ngxlab.analysis.schemas import ArmInfo, FactorEffect, FactorInteraction

from scripts.simulations.product.trials import blocks_of, trial

HEAD = (
    "factors, two primary metrics | noise | blocks | a factor's level gives +10 % | a false claim "
    "| all intervals of the first metric cover | the +10 % found"
)
_FIRST = next(metric for metric in METRICS if metric.info.key == "requests_per_s")
_SECOND = keyed_metric("second", "Second", "", "second", group="throughput", direction="more_is_better")


class Design(NamedTuple):
    """``levels``: of each factor. ``effect``: of level 1 of the first one, in the first metric."""

    levels: tuple[int, ...]
    noise: float
    blocks: int
    effect: float = 1.0

    def shares(self, count: int, random: np.random.Generator) -> list[float]:
        arms = _arms(self.levels)
        false = covered = found = 0
        for _ in range(count):
            result = self._judged(arms, random)
            judged: list[FactorEffect | FactorInteraction] = [*result.effects, *result.interactions]
            pairs = [(one, self._truth(one)) for one in judged]
            false += any(_is_false(one.verdict, true) for one, true in pairs)
            covered += all(one.ci_low <= true <= one.ci_high for one, true in pairs if one.metric == _FIRST.name)
            found += any(true > 1 and one.verdict == "better" for one, true in pairs)
        return [false / count, covered / count, found / count]

    def _judged(self, arms: Sequence[ArmInfo], random: np.random.Generator) -> Factorial:
        true = np.array([[self.effect if arm.levels["f0"] == "1" else 1.0] * self.blocks for arm in arms])
        first, second = (blocks_of(values, self.noise, random) for values in (true, np.ones_like(true)))
        usable = {
            arm.key: {
                n + 1: trial(arm.key, n + 1, first[row, n], {"second": second[row, n]}) for n in range(self.blocks)
            }
            for row, arm in enumerate(arms)
        }
        primary = [_FIRST.name, _SECOND.name]
        return factor_effects([_FIRST, _SECOND], arms, arms[0].key, usable, primary=primary)

    def _truth(self, judged: FactorEffect | FactorInteraction) -> float:
        changed = isinstance(judged, FactorEffect) and judged.factor == "f0" and judged.metric == _FIRST.name
        return self.effect if changed else 1.0


def rows() -> Iterator[tuple[str, Callable[..., list[float]]]]:
    for levels in ((2, 2), (2, 3), (2, 2, 2)):
        for noise, blocks, effect in ((0.02, 3, 1.0), (0.1, 5, 1.0), (0.05, 5, 1.1)):
            title = f"{' x '.join(map(str, levels))} | {100 * noise:g} % | {blocks} | {'yes' if effect > 1 else 'no'}"
            yield title, Design(levels, noise, blocks, effect).shares


def _arms(levels: tuple[int, ...]) -> list[ArmInfo]:
    combined = product(*(range(size) for size in levels))
    return [
        ArmInfo(key=".".join(map(str, one)), label="", levels={f"f{n}": str(level) for n, level in enumerate(one)})
        for one in combined
    ]


_RIGHT: Mapping[bool, set[str]] = {True: {"better", "undecided"}, False: {"equivalent", "undecided"}}


def _is_false(verdict: str, true: float) -> bool:
    return verdict not in _RIGHT[true > 1]
