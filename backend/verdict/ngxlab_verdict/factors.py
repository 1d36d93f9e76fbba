"""The effect of each factor, and whether factors change each other's effect (docs/method.md, Factorial analysis).

Ordinary least squares on value ~ block + factors + two-way interactions, each level against its reference, on the
additive scale. The intervals of all effects of a metric hold together (the largest of several t, Sidak 1967). An arm
that seems to scatter more than the others counts by its own scatter, too (``spread.py``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from itertools import product as combined
from math import prod
from typing import NamedTuple

import numpy as np
import scipy

from ngxlab_verdict.design import Blocks, Floats, design, product
from ngxlab_verdict.quantiles import max_modulus_quantile
from ngxlab_verdict.spread import Suspect, own_scatter, suspect, suspect_of_several
from ngxlab_verdict.words import Direction, Family, Word, word

ERROR = 0.05
"""The error of all effects on the primary metrics together, and of those on each other metric."""
_DOES_NOT_FIT = 0.01
_NO_SCATTER = 1e-9
_OF_ONE_ARM, _OF_BASELINE, _MOST = 1.5, 0.6, 0.5
"""The error of an interval by the scatter of one arm, as a multiple of that of all effects: less if the baseline seems
to scatter most, which every interaction involves. By simulation (``scripts/simulations/product.py``)."""

Levels = Mapping[str, str]
"""The level of each factor in an arm."""
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


def factors_of(arms: Sequence[Levels]) -> list[Factor]:
    """The factors in which the arms differ. The first arm is the baseline, whose levels are the references.

    Raises ValueError unless there are at least two, and the arms cover every combination of their levels.
    """
    references = arms[0]
    if any(levels.keys() != references.keys() for levels in arms):
        raise ValueError("the arms do not all have the same factors")
    levels = {key: list(dict.fromkeys(arm[key] for arm in arms)) for key in references}
    factors = [Factor(key, of_factor[0], of_factor[1:]) for key, of_factor in levels.items() if len(of_factor) > 1]
    if len(factors) < 2:
        raise ValueError("the arms differ in fewer than two factors")
    cells = {tuple(arm[factor.key] for factor in factors) for arm in arms}
    if len(cells) < prod(1 + len(factor.others) for factor in factors):
        raise ValueError("the arms do not cover every combination of the factors' levels")
    return factors


class Asked(NamedTuple):
    """What is asked of the effects on a metric. ``error``: of all of them; ``margin``: on the additive scale.

    ``shared``: the arm that scatters most in the primary metrics together.
    """

    family: Family
    error: float
    margin: float
    direction: Direction
    shared: Suspect | None = None


class Effect(NamedTuple):
    """On the additive scale. ``of``: one level, against its reference; or two levels that act together.

    ``error``: of all effects on the metric together.
    """

    of: tuple[FactorLevel, ...]
    estimate: float
    low: float
    high: float
    error: float
    family: Family
    verdict: Word


def noisiest_arm(primary: Sequence[Floats]) -> Suspect | None:
    """The arm that scatters most in several metrics together, each ``values[arm, block]``, additive.

    ``None`` if fewer than two of them have all their values, which scatter.
    """
    complete = [values for values in primary if not np.isnan(values).any()]
    return suspect_of_several([values for values in complete if (arms := _arms(values)) and arms.scatter])


def effects_of(values: Floats, arms: Sequence[Levels], factors: Sequence[Factor], asked: Asked) -> list[Effect]:
    """Those of the levels, then the interactions. ``values[arm, block]``: NaN where there is no value.

    Raises ValueError if they cannot be estimated, or if three or more factors act together.
    """
    model = _Model(factors)
    fitted = _fit(values, model.rows(arms))
    if _lack_of_fit(fitted, values) < _DOES_NOT_FIT:
        raise ValueError(
            "three or more factors act together in a way that effects and interactions of two do not describe: compare "
            "the arms themselves"
        )
    contrasts: list[tuple[tuple[FactorLevel, ...], Floats, Direction]] = [
        *(((level,), model.main_effect(level), asked.direction) for level in model.levels),
        *((both, model.interaction(both), "neutral") for both in model.interactions),
    ]
    half = _half_widths(fitted, values, [weights for _, weights, _ in contrasts], asked)
    if 2 * half.min() <= _NO_SCATTER:
        raise ValueError("the values fit the model without any scatter: they are identical, or too coarse")
    return [
        _effect(of, float((weights * fitted.coefficients).sum()), float(one), asked._replace(direction=way))
        for (of, weights, way), one in zip(contrasts, half, strict=True)
    ]


@dataclass(frozen=True)
class _Model:
    factors: Sequence[Factor]

    @property
    def levels(self) -> list[FactorLevel]:
        return [level for factor in self.factors for level in factor.factor_levels]

    @property
    def interactions(self) -> list[tuple[FactorLevel, FactorLevel]]:
        pairs = combinations(self.factors, 2)
        return [both for one, other in pairs for both in combined(one.factor_levels, other.factor_levels)]

    @property
    def coefficients(self) -> int:
        return len(self.levels) + len(self.interactions)

    def rows(self, arms: Sequence[Levels]) -> Floats:
        """``[arm, coefficient]``; the baseline has none."""
        return np.array([self._row(levels) for levels in arms], np.float64)

    def main_effect(self, level: FactorLevel) -> Floats:
        """Averaged over the levels of the other factors, with equal weights."""
        sizes = {factor.key: 1 + len(factor.others) for factor in self.factors}
        weights = [
            1 / sizes[next(factor for factor, _ in both if factor != level[0])] if level in both else 0.0
            for both in self.interactions
        ]
        return np.array([*(one == level for one in self.levels), *weights], np.float64)

    def interaction(self, both: tuple[FactorLevel, FactorLevel]) -> Floats:
        return np.array([*(False for _ in self.levels), *(one == both for one in self.interactions)], np.float64)

    def _row(self, levels: Levels) -> list[bool]:
        has = {level: levels[level[0]] == level[1] for level in self.levels}
        return [*has.values(), *(has[one] and has[other] for one, other in self.interactions)]


class _Fit(NamedTuple):
    """``unscaled``: of the coefficients' covariance, by the ``variance`` of residuals. ``rows[arm, coefficient]``."""

    coefficients: Floats
    unscaled: Floats
    variance: float
    degrees: int
    rows: Floats
    blocks: Blocks

    def shares(self, weights: Floats) -> Floats:
        """What each arm's variance adds to that of a contrast of the coefficients. ``[arm]``."""
        of_arms = product(self.rows, product(self.unscaled, weights))
        in_blocks = (self.blocks.deviations * of_arms).sum(axis=2)
        return np.asarray((self.blocks.counts[:, None] * in_blocks**2).sum(axis=0), np.float64)


def _fit(values: Floats, rows: Floats) -> _Fit:
    """``rows[arm, coefficient]``. Raises ValueError if coefficients cannot be told apart, or nothing is left."""
    blocks, count = Blocks.of(~np.isnan(values)), rows.shape[1]
    normal = np.einsum("ap,ab,bq->pq", rows, blocks.information, rows)
    if np.linalg.matrix_rank(normal) < count:
        raise ValueError("too few trials to estimate all effects")
    degrees = blocks.degrees - count
    if degrees <= 0:
        raise ValueError("no trials left to estimate the error: more blocks are needed")
    unscaled = np.asarray(np.linalg.inv(normal), np.float64)
    coefficients = product(unscaled, product(rows.T, blocks.centred(values).sum(axis=1)))
    residuals = blocks.centred(values - product(rows, coefficients)[:, None])
    return _Fit(coefficients, unscaled, float((residuals**2).sum()) / degrees, degrees, rows, blocks)


class _Arms(NamedTuple):
    """By block and arm alone, whatever the factors: the ``squares`` of each arm's residuals. ``fewest``: blocks."""

    squares: Floats
    degrees: int
    fewest: int

    @property
    def scatter(self) -> float:
        """The sum of squares; 0 where there are rounding errors only, as in a single block."""
        whole = float(self.squares.sum())
        return whole if self.degrees > 0 and whole > self.degrees * _NO_SCATTER**2 else 0.0


def _arms(values: Floats) -> _Arms | None:
    """``None`` where the blocks do not connect the arms."""
    present = ~np.isnan(values)
    try:
        own = design(present)
    except ValueError:
        return None
    return _Arms(own.squares(values), own.degrees, int(present.sum(axis=1).min()))


def _lack_of_fit(fitted: _Fit, values: Floats) -> float:
    """The chance that the arms' means lie as far from the model, if it holds (F test); 1 where that cannot be said."""
    if (own := _arms(values)) is None:
        return 1.0
    more = fitted.degrees - own.degrees
    if more <= 0 or own.degrees <= 0 or not own.scatter:
        return 1.0
    excess = max(fitted.variance * fitted.degrees - own.scatter, 0.0)
    return float(scipy.special.fdtrc(more, own.degrees, excess / more / (own.scatter / own.degrees)))


def _half_widths(fitted: _Fit, values: Floats, contrasts: Sequence[Floats], asked: Asked) -> Floats:
    """Half of each contrast's interval: by the scatter of all arms, and by that of one that seems to scatter more."""
    shares = np.array([fitted.shares(weights) for weights in contrasts])
    quantile = max_modulus_quantile(asked.error, len(contrasts), fitted.degrees)
    halves = [quantile * np.sqrt(fitted.variance * shares.sum(axis=1))]
    arms = _arms(values)
    if arms is not None and arms.fewest > 1 and arms.scatter:
        own = suspect(arms.squares, arms.fewest - 1.0)
        halves += [_guarded(one, arms, shares, asked.error) for one in (own, asked.shared) if one and one.weight > 0]
    return np.asarray(np.max(halves, axis=0), np.float64)


def _guarded(found: Suspect, arms: _Arms, shares: Floats, error: float) -> Floats:
    """Half widths by the scatter of the arm that seems to scatter most. ``shares[contrast, arm]``."""
    own = shares[:, found.arm]
    variance, degrees = own_scatter(found.arm, arms.squares, arms.fewest - 1.0, own, shares.sum(axis=1) - own)
    level = min(error * (_OF_BASELINE if found.arm == 0 else _OF_ONE_ARM) / found.weight, _MOST)
    reach = [max_modulus_quantile(level, len(shares), max(int(one), 1)) for one in degrees]
    return np.asarray(np.array(reach) * np.sqrt(variance), np.float64)


def _effect(of: tuple[FactorLevel, ...], estimate: float, half: float, asked: Asked) -> Effect:
    low, high = estimate - half, estimate + half
    verdict = word(estimate, low, high, asked.margin, asked.direction)
    return Effect(of, estimate, low, high, asked.error, asked.family, verdict)
