"""The model of a factorial experiment: which columns it has, and which contrasts are its effects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ngxlab.analysis.schemas import ArmInfo

Setting = tuple[str, str]
"""(factor, level), of a level other than the reference."""


class Factor(NamedTuple):
    """``others``: the levels compared with ``reference``."""

    key: str
    reference: str
    others: list[str]

    @property
    def settings(self) -> list[Setting]:
        return [(self.key, level) for level in self.others]


class Row(NamedTuple):
    """One trial."""

    block: int
    levels: Mapping[str, str]
    value: float


def factors_of(arms: Sequence[ArmInfo], baseline: str) -> list[Factor]:
    """Those in which the arms vary; the baseline's levels are the references.

    Raises ValueError unless there are two or more, and the arms are every combination of their levels.
    """
    references = next(arm for arm in arms if arm.key == baseline).levels
    if any(arm.levels.keys() != references.keys() for arm in arms):
        raise ValueError("the arms do not all have the same factors")
    levels = {
        key: list(dict.fromkeys([reference, *(arm.levels[key] for arm in arms)]))
        for key, reference in references.items()
    }
    factors = [Factor(key, found[0], found[1:]) for key, found in levels.items() if len(found) > 1]
    if len(factors) < 2:
        raise ValueError("the arms vary in fewer than two factors")
    combined = {tuple(arm.levels[factor.key] for factor in factors) for arm in arms}
    if len(combined) < prod(1 + len(factor.others) for factor in factors):
        raise ValueError("the arms are not every combination of the factors' levels")
    return factors


@dataclass(frozen=True)
class Model:
    """value ~ block + factors + two-way interactions, each level against its reference (treatment coding)."""

    blocks: list[int]
    factors: list[Factor]

    @property
    def settings(self) -> list[Setting]:
        return [setting for factor in self.factors for setting in factor.settings]

    @property
    def interactions(self) -> list[tuple[Setting, Setting]]:
        pairs = combinations(self.factors, 2)
        return [both for one, other in pairs for both in product(one.settings, other.settings)]

    def design(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """One row a trial; columns: blocks, settings, interactions."""
        return np.array([self._line(row) for row in rows], np.float64)

    def main_effect(self, setting: Setting) -> NDArray[np.float64]:
        """Averaged over the levels of the other factors, each level weighing the same."""
        sizes = {factor.key: 1 + len(factor.others) for factor in self.factors}
        weights = [
            1 / sizes[next(factor for factor, _ in both if factor != setting[0])] if setting in both else 0.0
            for both in self.interactions
        ]
        return self._weights([float(one == setting) for one in self.settings], weights)

    def interaction(self, both: tuple[Setting, Setting]) -> NDArray[np.float64]:
        return self._weights([0.0] * len(self.settings), [float(one == both) for one in self.interactions])

    def _weights(self, of_settings: list[float], of_interactions: list[float]) -> NDArray[np.float64]:
        return np.array([0.0] * len(self.blocks) + of_settings + of_interactions, np.float64)

    def _line(self, row: Row) -> list[bool]:
        has = {setting: row.levels[setting[0]] == setting[1] for setting in self.settings}
        together = [has[one] and has[other] for one, other in self.interactions]
        return [*(block == row.block for block in self.blocks), *has.values(), *together]
