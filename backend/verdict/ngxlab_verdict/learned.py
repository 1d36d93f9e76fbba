"""The scatter of a small experiment, learned from earlier ones of the same load on the same hosts.

Two arms in three blocks have two degrees of freedom, and Student's t of two degrees is wide only because the scatter is
hardly known. Where earlier experiments have shown it, they count for some degrees more: for how many follows from how
much the scatter itself has differed among them. Nothing is learned of an experiment with eight degrees or more, which
knows its own scatter well enough.

Sources: G. K. Smyth, Linear models and empirical Bayes methods for assessing differential expression in microarray
experiments, Statistical Applications in Genetics and Molecular Biology 3, 2004; R. DerSimonian, N. Laird,
Meta-analysis in clinical trials, Controlled Clinical Trials 7, 1986.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import scipy

from ngxlab_verdict.design import Floats

ENOUGH = 8.0
"""Degrees of freedom with which an experiment knows its own scatter, and the most that earlier ones count for."""
_CAUTION = 1.6
"""Learned variances are taken as so much larger, so that claims hold where the truth is twice what was learned."""
_LARGER = 0.3
_SMALLER = 0.2
"""Below these p values of the experiment's own variance against the learned one, the latter counts for less."""
_DIFFER = 0.35
"""The standard deviation, among experiments, of the logarithm of the scatter, before they are known."""
_AS_IF = 3.0
"""So many experiments does :data:`_DIFFER` count for."""


class Scatter(NamedTuple):
    """``deviation``: of one value within its block, on the additive scale. ``degrees``: those of its estimate."""

    deviation: float
    degrees: float


def learn(earlier: Sequence[Scatter]) -> Scatter | None:
    """What the next experiment's scatter is expected to be. ``None`` where no earlier one shows any."""
    shown = [one for one in earlier if one.deviation > 0 and one.degrees >= 1]
    if not shown:
        return None
    logs = [2 * math.log(one.deviation) - _log_mean(one.degrees) for one in shown]
    chance = [_log_variance(one.degrees) for one in shown]
    before = (2 * _DIFFER) ** 2
    weights = [1 / (before + one) for one in chance]
    whole = math.fsum(weights)
    mean = math.fsum(weight * log for weight, log in zip(weights, logs, strict=True)) / whole
    beyond = math.fsum((log - mean) ** 2 - one for log, one in zip(logs, chance, strict=True))
    among = max((_AS_IF * before + beyond) / (_AS_IF + len(shown) - 1), 0.0)
    degrees = _degrees_of(among + 1 / whole)
    return Scatter(math.exp((mean + _log_mean(degrees)) / 2), min(degrees, ENOUGH))


def joined(squares: float, degrees: float, learned: Scatter | None) -> Scatter:
    """The scatter of an experiment whose residuals have this sum of ``squares``, with what was learned of it."""
    if learned is None or degrees >= ENOUGH:
        return Scatter(math.sqrt(squares / degrees), degrees)
    variance = _CAUTION * learned.deviation**2
    larger = float(scipy.special.chdtrc(degrees, squares / variance))
    counted = learned.degrees * min(1.0, larger / _LARGER, (1 - larger) / _SMALLER)
    return Scatter(math.sqrt((counted * variance + squares) / (counted + degrees)), counted + degrees)


def _log_mean(degrees: float) -> float:
    """The expected logarithm of an estimated variance over the true one."""
    return float(scipy.special.digamma(degrees / 2)) - math.log(degrees / 2)


def _log_variance(degrees: float | Floats) -> float:
    return float(scipy.special.polygamma(1, degrees / 2))


def _degrees_of(log_variance: float) -> float:
    """The degrees of freedom of an estimate whose logarithm has this variance."""
    low, high = 1e-3, 1e6
    if log_variance <= _log_variance(high):
        return high
    return float(scipy.optimize.brentq(lambda degrees: _log_variance(degrees) - log_variance, low, high))
