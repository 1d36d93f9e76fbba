"""Distributions of the largest of several studentised contrasts, by numerical integration.

Source: C. W. Dunnett, A multiple comparison procedure for comparing several treatments with a control, JASA 50, 1955;
Z. Sidak, Rectangular confidence regions for the means of multivariate normal distributions, JASA 62, 1967.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import scipy

from ngxlab_verdict.design import Floats

_LARGEST = 1e7
_TAIL = 1e-14


def t_sf(x: Floats, degrees: float | Floats) -> Floats:
    """Two-sided p value of Student's t."""
    return np.asarray(2 * scipy.special.stdtr(degrees, -np.abs(x)), np.float64)


@lru_cache(maxsize=4096)
def t_quantile(alpha: float, degrees: float) -> float:
    """Two-sided: |t| exceeds it with probability ``alpha``."""
    return float(-scipy.special.stdtrit(degrees, alpha / 2))


def of_several(p_values: Floats, count: int) -> Floats:
    """P(the smallest of ``count`` p values is at most this), by Sidak's bound."""
    return np.asarray(-np.expm1(count * np.log1p(-np.minimum(p_values, 1 - 1e-16))), np.float64)


@lru_cache(maxsize=4096)
def max_modulus_quantile(alpha: float, contrasts: int, degrees: int) -> float:
    """The largest of ``contrasts`` |t| with a common error estimate exceeds it with probability ``alpha``.

    As if they were independent: by Sidak's inequality it is an upper bound for those that are correlated in any way.
    """
    if contrasts == 1:
        return t_quantile(alpha, degrees)
    return _root(lambda c: float(_modulus_sf(np.array([c]), contrasts, degrees)[0]), alpha)


@lru_cache(maxsize=4096)
def dunnett_quantile(alpha: float, arms: int, degrees: int) -> float:
    """Two-sided: the largest of ``arms`` |t| against one baseline exceeds it with probability ``alpha``.

    All means rest on equally many values, so that any two comparisons correlate by 1/2.
    """
    if arms == 1:
        return t_quantile(alpha, degrees)
    scale, weight = _scale_nodes(degrees)
    z, z_weight = _normal_nodes()

    def exceeded(c: float) -> float:
        reach = math.sqrt(2) * c * scale[:, None]
        inside = (scipy.special.ndtr(z + reach) - scipy.special.ndtr(z - reach)) ** arms
        return float(weight @ ((1 - inside) @ z_weight))

    return _root(exceeded, alpha)


def _root(exceeded: Callable[[float], float], alpha: float) -> float:
    return math.exp(
        scipy.optimize.brentq(lambda log_c: exceeded(math.exp(log_c)) - alpha, math.log(0.01), math.log(_LARGEST))
    )


def _modulus_sf(x: Floats, contrasts: int, degrees: int) -> Floats:
    scale, weight = _scale_nodes(degrees)
    one = np.minimum(2 * np.exp(scipy.special.log_ndtr(-x[:, None] * scale)), 1 - 1e-16)
    return np.asarray(-np.expm1(contrasts * np.log1p(-one)) @ weight, np.float64)


@lru_cache(maxsize=512)
def _scale_nodes(degrees: int) -> tuple[Floats, Floats]:
    """Nodes and weights for s = sqrt(chi2 / degrees): Gauss-Legendre in ln(s), so that small s are covered too."""
    low, high = (math.log(math.sqrt(float(scipy.special.chdtri(degrees, p)) / degrees)) for p in (1 - _TAIL, _TAIL))
    node, weight = np.polynomial.legendre.leggauss(240)
    log_s = (node + 1) / 2 * (high - low) + low
    half = degrees / 2
    log_density = (
        math.log(2) + half * math.log(half) - scipy.special.gammaln(half) + degrees * log_s - half * np.exp(2 * log_s)
    )
    density = weight * np.exp(log_density)
    return np.exp(log_s), density / density.sum()


@lru_cache(maxsize=1)
def _normal_nodes() -> tuple[Floats, Floats]:
    node, weight = np.polynomial.legendre.leggauss(96)
    density = weight * np.exp(-((8 * node) ** 2) / 2)
    return 8 * node, density / density.sum()
