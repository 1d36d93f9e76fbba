"""One arm surely scatters more than the others: it is compared by its own pairs, and the others without it.

Else its scatter would enter the error of all comparisons. The arms share the error by Bonferroni's bound.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ngxlab_verdict.design import Floats
from ngxlab_verdict.quantiles import t_quantile


class Compared(Protocol):
    """All arms against the baseline: see :class:`ngxlab_verdict.comparisons.Comparisons`."""

    @property
    def estimates(self) -> Floats: ...
    @property
    def errors(self) -> Floats: ...
    @property
    def degrees(self) -> Floats: ...
    @property
    def deviation(self) -> float: ...
    def own_levels(self, alpha: float) -> Floats: ...
    def plain(self, alpha: float) -> tuple[Floats, Floats]: ...
    def simultaneous(self, alpha: float) -> tuple[Floats, Floats]: ...


@dataclass(frozen=True)
class Separated:
    """``place``: of the arm among those beside the baseline. ``pairs``: its number of pairs with the baseline."""

    rest: Compared
    place: int
    estimate: float
    error: float
    pairs: int

    @property
    def estimates(self) -> Floats:
        return self._with(self.rest.estimates, self.estimate)

    @property
    def errors(self) -> Floats:
        return self._with(self.rest.errors, self.error)

    @property
    def degrees(self) -> Floats:
        return self._with(self.rest.degrees, self.pairs - 1.0)

    @property
    def deviation(self) -> float:
        """The standard deviation of one value, on average over the comparisons."""
        others = len(self.rest.estimates)
        return math.sqrt((others * self.rest.deviation**2 + self.error**2 * self.pairs / 2) / (others + 1))

    def own_levels(self, alpha: float) -> Floats:
        own, others = self._shares(alpha)
        return self._with(self.rest.own_levels(others), own)

    def plain(self, alpha: float) -> tuple[Floats, Floats]:
        return self._intervals(self.rest.plain(alpha), alpha)

    def simultaneous(self, alpha: float) -> tuple[Floats, Floats]:
        own, others = self._shares(alpha)
        return self._intervals(self.rest.simultaneous(others), own)

    def _shares(self, alpha: float) -> tuple[float, float]:
        own = alpha / (len(self.rest.estimates) + 1)
        return own, alpha - own

    def _intervals(self, others: tuple[Floats, Floats], alpha: float) -> tuple[Floats, Floats]:
        half = self.error * t_quantile(alpha, self.pairs - 1.0)
        return self._with(others[0], self.estimate - half), self._with(others[1], self.estimate + half)

    def _with(self, of_others: Floats, own: float) -> Floats:
        return np.asarray(np.insert(of_others, self.place, own), np.float64)
