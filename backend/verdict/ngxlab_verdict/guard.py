"""A second condition for claims, where one arm seems to scatter more than the others but might do so by chance.

Each comparison must then also hold with the scatter of its own two arms alone. In complete blocks that comes from the
residuals of each arm; else from the arm's own pairs.

Sources: F. E. Grubbs, On estimating precision of measuring instruments and product variability, JASA 43, 1948 (the
variance of each of several instruments that measure the same items); F. E. Satterthwaite, An approximate distribution
of estimates of variance components, Biometrics Bulletin 2, 1946.
"""

from dataclasses import dataclass

import numpy as np

from ngxlab_verdict.design import Floats
from ngxlab_verdict.quantiles import t_quantile, t_sf

_OF_ONE_ARM = 1.0
_OF_BASELINE = 0.5
"""The error of each comparison, as a multiple of that of the family: less if the baseline scatters most, since then
all comparisons can be wrong."""
_SMALL = 0.01


@dataclass(frozen=True)
class Guard:
    """Of each arm against the baseline: its own standard error with ``degrees`` of freedom, and its ``multiple``.

    ``doubtful``: whether the arms seem to scatter unequally. If not, only claims at a small error are guarded.
    """

    errors: Floats
    degrees: Floats
    multiple: float
    doubtful: bool

    def applies(self, alpha: float) -> bool:
        """At a small error, which the later metrics of a family have, a wrong estimate of the scatter counts most."""
        return self.doubtful or alpha < _SMALL

    def p_values(self, estimates: Floats) -> Floats:
        return np.minimum(t_sf(estimates / self.errors, self.degrees) / self.multiple, 1.0)

    def half_widths(self, alpha: float) -> Floats:
        return self.errors * [t_quantile(alpha * self.multiple, round(degrees, 2)) for degrees in self.degrees]


def guard(squares: Floats, pairs: Floats, variances: Floats, *, balanced: bool, doubtful: bool) -> Guard:
    """``squares``: of each arm's residuals, the baseline first. ``variances``: of each arm's differences in pairs."""
    multiple = _OF_BASELINE if squares.argmax() == 0 else _OF_ONE_ARM
    if not balanced:
        return Guard(np.sqrt(variances / pairs), pairs - 1.0, multiple, doubtful)
    arms, degrees = len(squares), float(pairs[0] - 1)
    own = arms / (arms - 2) * (squares - squares.sum() / (arms * (arms - 1))) / degrees
    own = np.maximum(own, 1e-12 * squares.sum())
    both = own[1:] + own[0]
    satterthwaite = degrees * both**2 / (own[1:] ** 2 + own[0] ** 2)
    return Guard(np.sqrt(both / pairs), satterthwaite, multiple, doubtful)
