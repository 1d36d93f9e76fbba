"""The variance of each arm's values, shrunk towards that of all arms.

Arms scatter differently, and a few blocks hardly show by how much: the variance of all arms together misleads where
they differ, and an arm's own has too few degrees of freedom where they do not. So each arm has a mean of both, its own
weighted by its degrees of freedom and the common one by ``PRIOR``, as if that many more had been seen.

Sources: G. K. Smyth, Linear models and empirical Bayes methods for assessing differential expression in microarray
experiments, Statistical Applications in Genetics and Molecular Biology 3, 2004; F. E. Satterthwaite, An approximate
distribution of estimates of variance components, Biometrics Bulletin 2, 1946.
"""

from typing import NamedTuple

import numpy as np

from ngxlab_verdict.design import Design, Floats
from ngxlab_verdict.learned import Scatter, joined

PRIOR = 4.0
"""Degrees of freedom. About those of arms whose standard deviations differ as a log-normal of 0.5 does: simulations
(``scripts/simulations``) have 3 to 10 such arms, equal ones, and single ones that scatter three times as much."""


class Variances(NamedTuple):
    """``own[arm]``, the baseline first, each with its ``degrees[arm]``. ``common``: degrees of those of all arms."""

    own: Floats
    degrees: Floats
    common: float

    def of(self, weights: Floats) -> tuple[Floats, Floats]:
        """The variance of each contrast and its degrees. ``weights[..., arm]``: of the arms' variances in it."""
        variance = weights @ self.own
        degrees = variance**2 / (weights**2 @ (self.own**2 / self.degrees))
        return variance, np.minimum(degrees, self.common)


def variances(squares: Floats, design: Design, learned: Scatter | None = None) -> Variances:
    """``squares``: of each arm's residuals. Two arms have the variance of both: their residuals mirror each other.

    ``learned``: from earlier experiments, which enters the variance of all arms.
    """
    arms, (deviation, known) = len(squares), joined(float(squares.sum()), float(design.degrees), learned)
    common = deviation**2
    if arms == 2:
        return Variances(np.full(2, common), np.full(2, known), known)
    own = squares / design.own_degrees
    # Residuals are differences from the mean of all arms, which the others' scatter enters, too.
    own = np.maximum(common + (own - common) * (arms - 1) / (arms - 2), 0)
    degrees = PRIOR + design.own_degrees
    return Variances((PRIOR * common + design.own_degrees * own) / degrees, degrees, known)
