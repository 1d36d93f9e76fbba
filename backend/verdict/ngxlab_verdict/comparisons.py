"""All arms against the baseline in one metric: estimates, errors, adjusted p values and intervals."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ngxlab_verdict.adjusted import closed_test, holm
from ngxlab_verdict.design import Design, Flags, Floats, design
from ngxlab_verdict.guard import Guard, guard
from ngxlab_verdict.quantiles import dunnett_quantile, max_modulus_quantile, t_quantile, t_sf
from ngxlab_verdict.spread import scatter

_OF_INTERVALS = 0.7
"""Of the family's error, where there are several arms: the closed test may be wrong of one arm too."""


@dataclass(frozen=True)
class Comparisons:
    """One entry for each arm; on an additive scale, where 0 is no change.

    ``pooled``: the design and the deviation of one value, where the residuals of all arms give one error estimate;
    ``None`` where each arm has that of its own pairs. ``guard``: of several arms with a pooled estimate.
    """

    estimates: Floats
    errors: Floats
    degrees: Floats
    pooled: tuple[Design, float] | None
    guard: Guard | None = None

    @cached_property
    def p_values(self) -> Floats:
        """Of each comparison alone."""
        return t_sf(self.estimates / self.errors, self.degrees)

    def adjusted(self, alpha: float) -> Floats:
        """p values adjusted for the number of arms, to be compared with ``alpha``."""
        guard = self._guard(alpha)
        return self._adjusted if guard is None else np.maximum(self._adjusted, guard.p_values(self.estimates))

    @cached_property
    def _adjusted(self) -> Floats:
        if self.pooled and self.pooled[0].subsets:
            return closed_test(self.pooled[0], self.estimates, self.pooled[1])
        return holm(self.p_values)

    def own_levels(self, alpha: float) -> Floats:
        """Of each arm alone, in single-step intervals for all arms together."""
        return t_sf(self._single_step(alpha), self.degrees)

    def plain(self, alpha: float) -> tuple[Floats, Floats]:
        """Student's interval of each comparison alone."""
        half = self.errors * [t_quantile(alpha, degrees) for degrees in self.degrees]
        return self.estimates - half, self.estimates + half

    def simultaneous(self, alpha: float) -> tuple[Floats, Floats]:
        """Intervals for all arms together, which exclude 0 exactly where ``adjusted`` is at most ``alpha``.

        They are single-step intervals, whose ends are moved where the two disagree. Where the interval reaches 0
        although the test rejects, its end is that of the interval at the arm's own share of ``alpha``; where it does
        not reach 0 although the test accepts, it is extended to 0.
        """
        half = np.maximum(self.errors * self._single_step(alpha), self._guarded(alpha))
        low, high = self.estimates - half, self.estimates + half
        excluded = half < np.abs(self.estimates)
        claimed = self.adjusted(alpha) <= alpha
        for arm in map(int, np.flatnonzero(claimed != excluded)):
            end = self._near_end(arm, alpha) if claimed[arm] else 0.0
            (low if self.estimates[arm] > 0 else high)[arm] = end
        return low, high

    def _single_step(self, alpha: float) -> Floats:
        arms = len(self.estimates)
        if self.pooled is None:
            return np.array([t_quantile(alpha / arms, degrees) for degrees in self.degrees])
        quantile = dunnett_quantile if self.pooled[0].balanced else max_modulus_quantile
        return np.full(arms, quantile(alpha * (_OF_INTERVALS if arms > 1 else 1), arms, self.pooled[0].degrees))

    def _guarded(self, alpha: float) -> Floats:
        guard = self._guard(alpha)
        return np.zeros(len(self.estimates)) if guard is None else guard.half_widths(alpha)

    def _guard(self, alpha: float) -> Guard | None:
        return self.guard if self.guard is not None and self.guard.applies(alpha) else None

    def _near_end(self, arm: int, alpha: float) -> float:
        """Of the interval at ``alpha`` divided by the factor that adjusted the arm's p value: it excludes 0."""
        size = abs(self.estimates[arm])
        share = float(alpha * self.p_values[arm] / self.adjusted(alpha)[arm])
        end = size - max(self.errors[arm] * t_quantile(share, self.degrees[arm]), self._guarded(alpha)[arm])
        return math.copysign(max(end, 1e-6 * size), self.estimates[arm])


def compare(values: Floats, present: Flags) -> Comparisons:
    """``values[arm, block]``, the baseline first; each arm shares two blocks or more with it, in which they differ."""
    both = present[1:] & present[0]
    pairs = both.sum(axis=1)
    differences = np.where(both, values[1:] - values[0], 0.0)
    means = differences.sum(axis=1) / pairs
    variances = (np.where(both, differences - means[:, None], 0.0) ** 2).sum(axis=1) / (pairs - 1)
    of_pattern = design(present)
    cells = values[present]
    residuals = of_pattern.residual @ cells
    squares = np.bincount(np.nonzero(present)[0], residuals**2).astype(np.float64)
    deviation = math.sqrt(float(squares.sum()) / of_pattern.degrees)
    found = scatter(squares, int(pairs.min()))
    if found == "unlike":
        return Comparisons(means, np.sqrt(variances / pairs), pairs - 1.0, None)
    degrees = np.full(len(pairs), float(of_pattern.degrees))
    errors = deviation * np.sqrt(np.diag(of_pattern.covariance))
    own = None
    if len(pairs) > 1:
        own = guard(squares, pairs, variances, balanced=of_pattern.balanced, doubtful=found == "doubtful")
    return Comparisons(of_pattern.solve @ cells, errors, degrees, (of_pattern, deviation), own)
