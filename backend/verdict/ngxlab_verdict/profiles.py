"""Which functions may be said to take more or less CPU time a request in one arm than in another, by sampled profiles.

Samples of a function in a trial scatter as a Poisson count does, and by what two trials of the same arm differ anyhow:
a share of the function's own time. How large that share is, a few trials hardly tell, so it is :data:`LEAST_SCATTER` at
least, and a function's own scatter is weighed with what is expected of any (:data:`_EXPECTED_WEIGHT` degrees of
freedom). All functions, alone and with what they call, are one family: of those that are said to differ, at most 5 %
are expected not to. The intervals of those that are said hold together (false coverage rate).

Sources: Y. Benjamini, Y. Hochberg, Controlling the false discovery rate, Journal of the Royal Statistical Society B 57,
1995; Y. Benjamini, D. Yekutieli, False discovery rate-adjusted multiple confidence intervals for selected parameters,
Journal of the American Statistical Association 100, 2005; G. K. Smyth, Linear models and empirical Bayes methods,
Statistical Applications in Genetics and Molecular Biology 3, 2004.
"""

from dataclasses import dataclass

import numpy as np

from ngxlab_verdict.design import Floats
from ngxlab_verdict.quantiles import t_quantile, t_sf

FALSE_DISCOVERIES = 0.05
LEAST_SCATTER = 0.02
"""Of a function's CPU time a request between two trials of one arm, as a share."""
LEAST_SAMPLES = 20.0
"""In both arms together: what was seen more rarely tells nothing, and takes part in no family."""
_EXPECTED_WEIGHT = 8.0


@dataclass(frozen=True)
class Sampled:
    """The profiles of one arm. ``samples``: of each function in each trial, trials by functions. ``all_samples``: of
    each trial. ``weights``: the samples that stand for one microsecond a request, by trial: rate x requests / 1e6."""

    samples: Floats
    all_samples: Floats
    weights: Floats

    @property
    def per_request(self) -> Floats:
        """Of each function: microseconds of CPU time a request, all trials together."""
        return np.asarray(self.samples.sum(axis=0) / self.weights.sum(), np.float64)


@dataclass(frozen=True)
class FrameDifferences:
    """By function: the difference in microseconds a request with its interval, and the smallest rate of false
    discoveries at which it is said to differ; 1 where it takes no part. ``low`` and ``high`` hold for all that are
    said."""

    difference: Floats
    low: Floats
    high: Floats
    q: Floats


def differences(arm: Sampled, baseline: Sampled, rate: float = FALSE_DISCOVERIES) -> FrameDifferences:
    """Raises ``ValueError`` with fewer than two trials of an arm, whose scatter nobody knows then."""
    if min(len(arm.weights), len(baseline.weights)) < 2:
        raise ValueError("two trials of each arm at least")
    sides = (arm, baseline)
    found = arm.per_request - baseline.per_request
    scatter = _scatter(sides)
    own, degrees = _own_scatter(sides, scatter)
    error = np.sqrt(own * _variance(sides, scatter))
    seen = arm.samples.sum(axis=0) + baseline.samples.sum(axis=0) >= LEAST_SAMPLES
    t = np.divide(found, error, out=np.zeros_like(found), where=error > 0)
    q = np.ones_like(found)
    q[seen] = benjamini_hochberg(t_sf(t[seen], degrees))
    said, family = int((q <= rate).sum()), max(1, int(seen.sum()))
    reach = t_quantile(rate * max(1, said) / family, degrees) if said else t_quantile(rate, degrees)
    return FrameDifferences(found, found - reach * error, found + reach * error, q)


def benjamini_hochberg(p_values: Floats) -> Floats:
    """The smallest rate of false discoveries at which each is among the discoveries."""
    order = np.argsort(p_values)[::-1]
    ranks = np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum.accumulate(np.minimum(p_values[order] * len(p_values) / ranks, 1.0))
    return adjusted


def _expected(side: Sampled) -> Floats:
    """Samples of each function in each trial, if all trials were alike."""
    return np.asarray(side.weights[:, None] * side.per_request, np.float64)


def _scatter(sides: tuple[Sampled, Sampled]) -> float:
    """The squared coefficient of variation between trials of one arm, beyond that of counting."""
    squares = degrees = 0.0
    for side in sides:
        levels = side.all_samples / side.weights
        expected = side.all_samples.sum() / side.weights.sum()
        squares += float(((levels / expected - 1) ** 2 - 1 / np.maximum(side.all_samples, 1.0)).sum())
        degrees += len(levels) - 1
    return max(LEAST_SCATTER**2, squares / degrees)


def _own_scatter(sides: tuple[Sampled, Sampled], scatter: float) -> tuple[Floats, float]:
    """By how much each function scatters more than expected, as a factor of its variance, 1 at least; and its degrees
    of freedom."""
    squares, degrees = np.zeros(sides[0].samples.shape[1]), 0
    for side in sides:
        expected = _expected(side)
        variance = expected + scatter * expected**2
        residuals = np.divide((side.samples - expected) ** 2, variance, out=np.zeros_like(variance), where=variance > 0)
        squares += residuals.sum(axis=0)
        degrees += len(side.weights) - 1
    weighed = (_EXPECTED_WEIGHT + squares) / (_EXPECTED_WEIGHT + degrees)
    return np.maximum(1.0, weighed), _EXPECTED_WEIGHT + degrees


def _variance(sides: tuple[Sampled, Sampled], scatter: float) -> Floats:
    """Of the difference: by what each arm has, or by what both have where that is more, as it is where one has none."""
    totals = [side.weights.sum() for side in sides]
    common = (sides[0].samples.sum(axis=0) + sides[1].samples.sum(axis=0)) / sum(totals)
    alone, alike = np.zeros_like(common), np.zeros_like(common)
    for side, total in zip(sides, totals, strict=True):
        trials = float((side.weights**2).sum() / total**2)
        alone += side.per_request / total + scatter * trials * side.per_request**2
        alike += common / total + scatter * trials * common**2
    return np.asarray(np.maximum(alone, alike), np.float64)
