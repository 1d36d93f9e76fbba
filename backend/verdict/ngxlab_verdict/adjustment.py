"""p values of the arms against the baseline, adjusted for the number of arms.

A closed test: an arm differs from the baseline if every set of arms that contains it differs from the baseline as a
set. Each set is tested by analysis of means: the largest deviation from the common mean of the set and the baseline.
So an arm that stands out alone is measured against all the others and not against the baseline only.

A claim needs all sets, and few claims come from one set alone. So larger sets may use more than the family's error, and
single arms use less, which leaves error for the intervals of the other arms. Simulations with each number of arms
without an effect (``scripts/simulations``) keep the family within its error.

Sources: R. Marcus, E. Peritz, K. R. Gabriel, On closed testing procedures, Biometrika 63, 1976; L. S. Nelson, Exact
critical values for use with the analysis of means, Journal of Quality Technology 15, 1983; S. Holm, A simple
sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
"""

import numpy as np

from ngxlab_verdict.design import Design, Floats
from ngxlab_verdict.quantiles import of_several, t_sf
from ngxlab_verdict.variances import Variances

_OF_SINGLE_ARMS = 0.85
_OF_PAIRS = 1.2
_OF_LARGER_SETS = 2.0
"""The error that a set of so many arms may use, as a multiple of that of the family."""


def closed_test(design: Design, differences: Floats, variances: Variances) -> Floats:
    """The largest p value of all sets that contain the arm. ``variances``: of one value of each arm."""
    adjusted = np.zeros(design.arms)
    for subsets in design.subsets:
        variance, degrees = variances.of(subsets.weights)
        smallest = t_sf(subsets.contrasts @ differences / np.sqrt(variance), degrees).min(axis=1)
        p = of_several(smallest, 1 if subsets.size == 1 else subsets.size + 1)
        p = np.minimum(p / _multiple(subsets.size, design.arms), 1.0)
        np.maximum(adjusted, np.where(subsets.members, p[:, None], 0.0).max(axis=0), out=adjusted)
    return adjusted


def _multiple(size: int, arms: int) -> float:
    if size == 1:
        return _OF_SINGLE_ARMS if arms > 1 else 1.0
    return _OF_PAIRS if size == 2 else _OF_LARGER_SETS


def holm(p_values: Floats) -> Floats:
    """Valid for p values that depend on each other in any way."""
    order = np.argsort(p_values)
    steps = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
