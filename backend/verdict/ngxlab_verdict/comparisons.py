"""All arms against the baseline in one metric: estimates, errors, adjusted p values and intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ngxlab_verdict.adjustment import closed_test, holm
from ngxlab_verdict.design import Design, Flags, Floats, design
from ngxlab_verdict.learned import Scatter
from ngxlab_verdict.quantiles import dunnett_quantile, max_modulus_quantile, t_quantile, t_sf
from ngxlab_verdict.spread import Guard, Suspect, guard, suspect
from ngxlab_verdict.variances import Variances, variances

_OF_INTERVALS = 0.7
"""Intervals have this part of the family's error where there are several arms: the closed test may be wrong, too."""


@dataclass(frozen=True)
class Comparisons:
    """One entry for each arm; on an additive scale, where 0 is no change.

    ``deviation``: of one value, from the residuals of all arms. ``guards``: against arms that seem to scatter more than
    the others. ``own_variances``: as ``variances``, without what was learned before.
    """

    estimates: Floats
    errors: Floats
    degrees: Floats
    design: Design
    variances: Variances
    own_variances: Variances
    deviation: float
    guards: tuple[Guard, ...] = ()

    @property
    def freedom(self) -> int:
        """The degrees of freedom of ``deviation``."""
        return self.design.degrees

    @cached_property
    def shown(self) -> "Shown":
        variance, degrees = self.own_variances.of(self.design.weights)
        return Shown(np.sqrt(variance), degrees)

    @cached_property
    def p_values(self) -> Floats:
        """Unadjusted p values, one for each comparison."""
        return t_sf(self.estimates / self.errors, self.degrees)

    @cached_property
    def adjusted(self) -> Floats:
        """p values adjusted for the number of arms, to be compared with the error of all of them."""
        return _largest([self._adjusted, *(guard.p_values(self.estimates) for guard in self.guards)])

    @cached_property
    def _adjusted(self) -> Floats:
        if self.design.subsets:
            return closed_test(self.design, self.estimates, self.variances)
        return holm(self.p_values)

    def own_levels(self, alpha: float) -> Floats:
        """The level of each arm's own interval, in single-step intervals for all arms together."""
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
        guarded = self._guarded(alpha)
        half = np.maximum(self.errors * self._single_step(alpha), guarded)
        low, high = self.estimates - half, self.estimates + half
        excluded = half < np.abs(self.estimates)
        adjusted = self.adjusted
        claimed = adjusted <= alpha
        for arm in map(int, np.flatnonzero(claimed != excluded)):
            share = float(alpha * self.p_values[arm] / adjusted[arm])
            end = self._near_end(arm, share, float(guarded[arm])) if claimed[arm] else 0.0
            (low if self.estimates[arm] > 0 else high)[arm] = end
        return low, high

    def _single_step(self, alpha: float) -> Floats:
        arms = len(self.estimates)
        quantile = dunnett_quantile if self.design.balanced else max_modulus_quantile
        error = alpha * (_OF_INTERVALS if arms > 1 else 1)
        return np.array([quantile(error, arms, max(int(degrees), 1)) for degrees in self.degrees])

    def _guarded(self, alpha: float) -> Floats:
        return _largest([np.zeros(len(self.estimates)), *(guard.half_widths(alpha) for guard in self.guards)])

    def _near_end(self, arm: int, share: float, guarded: float) -> float:
        """The end near 0 of the interval at ``share``, by which the arm's p value was adjusted: it excludes 0."""
        size = abs(self.estimates[arm])
        end = size - max(self.errors[arm] * t_quantile(share, self.degrees[arm]), guarded)
        return math.copysign(max(end, 1e-6 * size), self.estimates[arm])


class Shown(NamedTuple):
    """Standard errors of the estimates, and their degrees of freedom, by the experiment's own values alone."""

    errors: Floats
    degrees: Floats


@dataclass(frozen=True)
class Separated:
    """One arm surely scatters more than the others: it is compared by its own pairs, and the others without it.

    Else its scatter would enter the error of all comparisons. The arms share the error by Bonferroni's bound.

    ``place``: of the arm among those beside the baseline. ``pairs``: its number of pairs with the baseline.
    """

    rest: "Compared"
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
    def shown(self) -> Shown:
        errors, degrees = self.rest.shown
        return Shown(self._with(errors, self.error), self._with(degrees, self.pairs - 1.0))

    @property
    def freedom(self) -> int:
        """At least so many degrees of freedom has ``deviation``."""
        return min(self.rest.freedom, self.pairs - 1)

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


Compared = Comparisons | Separated


def _largest(rows: Sequence[Floats]) -> Floats:
    return np.asarray(np.max(rows, axis=0), np.float64)


def compare(values: Floats, present: Flags, shared: Suspect | None = None, learned: Scatter | None = None) -> Compared:
    """``values[arm, block]``, the baseline first; each arm shares two blocks or more with it, in which they differ.

    ``shared``: the arm that scatters most in several metrics together. ``learned``: from earlier experiments.
    """
    both = present[1:] & present[0]
    pairs = both.sum(axis=1)
    differences = np.where(both, values[1:] - values[0], 0.0)
    means = differences.sum(axis=1) / pairs
    of_pairs = (np.where(both, differences - means[:, None], 0.0) ** 2).sum(axis=1) / (pairs - 1)
    of_pattern = design(present)
    squares = of_pattern.squares(values)
    suspects = _suspects(squares, int(pairs.min()), shared)
    if apart := next((found.arm for found in suspects if found.unlike and found.arm > 0), None):
        error = math.sqrt(of_pairs[apart - 1] / pairs[apart - 1])
        return Separated(
            _without(apart, values, present, learned), apart - 1, float(means[apart - 1]), error, int(pairs[apart - 1])
        )
    of_arms = variances(squares, of_pattern, learned)
    of_differences, degrees = of_arms.of(of_pattern.weights)
    return Comparisons(
        of_pattern.differences(values),
        np.sqrt(of_differences),
        degrees,
        of_pattern,
        of_arms,
        of_arms if learned is None else variances(squares, of_pattern),
        math.sqrt(float(squares.sum()) / of_pattern.degrees),
        tuple(guard(found, squares, pairs, of_pairs, balanced=of_pattern.balanced) for found in suspects),
    )


def _without(arm: int, values: Floats, present: Flags, learned: Scatter | None) -> Compared:
    """Blocks of which a single arm would be left are left out."""
    others = np.delete(present, arm, axis=0)
    blocks = others.sum(axis=0) > 1
    return compare(np.delete(values, arm, axis=0)[:, blocks], others[:, blocks], learned=learned)


def _suspects(squares: Floats, blocks: int, shared: Suspect | None) -> list[Suspect]:
    """Two arms always scatter alike: their residuals mirror each other, and their pairs need no common variance."""
    if len(squares) == 2:
        return []
    return [suspect(squares, blocks - 1.0), *([shared] if shared is not None else [])]
