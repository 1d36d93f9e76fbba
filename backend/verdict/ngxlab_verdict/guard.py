"""A second condition for claims, where one arm seems to scatter more than the others but might do so by chance.

Comparisons with that arm must then also hold with its own scatter. In complete blocks that is the variance of its
differences from the mean of the other arms, to which the scatter of the others is added; else that of the arm's pairs.

Source: F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin 2,
1946.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from ngxlab_verdict.design import Floats
from ngxlab_verdict.quantiles import t_sf
from ngxlab_verdict.spread import SMALL, Suspect

_OF_ONE_ARM = 0.8
_OF_BASELINE = 0.4
"""The error of each comparison, as a multiple of that of the family: less if the baseline scatters most, since then
all comparisons can be wrong."""
_FAR = 1e150
"""Standard errors from 0: beyond any quantile."""


@dataclass(frozen=True)
class Guard:
    """Each arm's own standard error against the baseline, 0 where none is needed, with its degrees of freedom.

    ``blocks``: how many give the own scatter. At a small error Satterthwaite's degrees promise too much, as they are an
    estimate: then it is as if all of the error's variance were from these blocks.
    """

    suspect: Suspect
    errors: Floats
    degrees: Floats
    blocks: Floats

    def p_values(self, estimates: Floats, alpha: float) -> Floats:
        """p values to be compared with ``alpha``."""
        far = np.full(len(estimates), _FAR)
        reached = np.divide(np.abs(estimates), self.errors, out=far, where=self.errors > 0)
        return np.minimum(t_sf(np.minimum(reached, _FAR), self._degrees(alpha)) / self._multiple(alpha), 1.0)

    def half_widths(self, alpha: float) -> Floats:
        share = min(alpha * self._multiple(alpha), 1.0)
        return np.asarray(self.errors * -stdtrit(self._degrees(alpha), share / 2), np.float64)

    def _degrees(self, alpha: float) -> Floats:
        return self.blocks - 1.0 if alpha < SMALL else self.degrees

    def _multiple(self, alpha: float) -> float:
        of_all = _OF_BASELINE if self.suspect.arm == 0 else _OF_ONE_ARM
        return of_all / max(self.suspect.weight(alpha), 1e-9)


def guard(suspect: Suspect, squares: Floats, pairs: Floats, variances: Floats, *, balanced: bool) -> Guard:
    """``squares``: of each arm's residuals, the baseline first. ``variances``: of each arm's differences in pairs."""
    if balanced:
        variance, degrees = _own(suspect.arm, squares, int(pairs[0]))
        errors, freedom = np.full(len(pairs), np.sqrt(variance / pairs[0])), np.full(len(pairs), degrees)
    else:
        errors, freedom = np.sqrt(variances / pairs), pairs - 1.0
    if suspect.arm > 0:
        errors = np.where(np.arange(len(pairs)) == suspect.arm - 1, errors, 0.0)
    return Guard(suspect, errors, freedom, pairs.astype(np.float64))


def _own(arm: int, squares: Floats, blocks: int) -> tuple[float, float]:
    """The variance of a difference between the arm and one of the others, and its degrees of freedom."""
    arms, degrees = len(squares), blocks - 1.0
    from_others = float(squares[arm]) * (arms / (arms - 1)) ** 2 / degrees
    others = max(float(squares.sum() - squares[arm] * arms / (arms - 1)), 0.0) / ((arms - 2) * degrees)
    rest = others * (arms - 2) / (arms - 1)
    both = from_others + rest
    return both, degrees * both**2 / (from_others**2 + rest**2 / (arms - 2))
