"""The linear model of a factorial experiment: its columns, and the contrasts that are its effects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ngxlab.analysis.schemas import ArmInfo

FactorLevel = tuple[str, str]
"""(factor, level), where the level is not the reference."""


class Factor(NamedTuple):
    """``others``: the levels that are compared with ``reference``."""

    key: str
    reference: str
    others: list[str]

    @property
    def factor_levels(self) -> list[FactorLevel]:
        return [(self.key, level) for level in self.others]


class Row(NamedTuple):
    """One trial."""

    block: int
    levels: Mapping[str, str]
    value: float


def factors_of(arms: Sequence[ArmInfo], baseline: str) -> list[Factor]:
    """The factors in which the arms differ; the baseline's levels are the references.

    Raises ValueError unless there are at least two, and the arms cover every combination of their levels.
    """
    references = next(arm for arm in arms if arm.key == baseline).levels
    if any(arm.levels.keys() != references.keys() for arm in arms):
        raise ValueError("the arms do not all have the same factors")
    levels = {
        key: list(dict.fromkeys([reference, *(arm.levels[key] for arm in arms)]))
        for key, reference in references.items()
    }
    factors = [Factor(key, of_factor[0], of_factor[1:]) for key, of_factor in levels.items() if len(of_factor) > 1]
    if len(factors) < 2:
        raise ValueError("the arms differ in fewer than two factors")
    combined = {tuple(arm.levels[factor.key] for factor in factors) for arm in arms}
    if len(combined) < prod(1 + len(factor.others) for factor in factors):
        raise ValueError("the arms do not cover every combination of the factors' levels")
    return factors


@dataclass(frozen=True)
class Model:
    """value ~ block + factors + two-way interactions, each level against its reference (treatment coding)."""

    blocks: list[int]
    factors: list[Factor]

    @property
    def factor_levels(self) -> list[FactorLevel]:
        return [factor_level for factor in self.factors for factor_level in factor.factor_levels]

    @property
    def interactions(self) -> list[tuple[FactorLevel, FactorLevel]]:
        pairs = combinations(self.factors, 2)
        return [both for one, other in pairs for both in product(one.factor_levels, other.factor_levels)]

    def design(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """One row for each trial; columns: blocks, levels, interactions."""
        return np.array([self._line(row) for row in rows], np.float64)

    def main_effect(self, factor_level: FactorLevel) -> NDArray[np.float64]:
        """Averaged over the levels of the other factors, with equal weights."""
        sizes = {factor.key: 1 + len(factor.others) for factor in self.factors}
        weights = [
            1 / sizes[next(factor for factor, _ in both if factor != factor_level[0])] if factor_level in both else 0.0
            for both in self.interactions
        ]
        return self._weights([float(one == factor_level) for one in self.factor_levels], weights)

    def interaction(self, both: tuple[FactorLevel, FactorLevel]) -> NDArray[np.float64]:
        return self._weights([0.0] * len(self.factor_levels), [float(one == both) for one in self.interactions])

    def _weights(self, of_levels: list[float], of_interactions: list[float]) -> NDArray[np.float64]:
        return np.array([0.0] * len(self.blocks) + of_levels + of_interactions, np.float64)

    def _line(self, row: Row) -> list[bool]:
        has = {factor_level: row.levels[factor_level[0]] == factor_level[1] for factor_level in self.factor_levels}
        together = [has[one] and has[other] for one, other in self.interactions]
        return [*(block == row.block for block in self.blocks), *has.values(), *together]
