"""Does one arm scatter more than the others, so that one estimate of the error should not serve all comparisons?

An arm's differences from the mean of the other arms have a variance of their own, which is independent of the others'
residuals: where all arms scatter alike, the quotient of the two has the F distribution. The noisiest of several arms is
looked at, so the p value is multiplied by their number (Bonferroni's bound, which is close for the largest of them).

Where one arm seems to scatter more, but might do so by chance, comparisons with it must also hold with its own scatter.
In complete blocks that is the variance of its differences from the mean of the other arms, to which the scatter of the
others is added; else that of the arm's pairs.

Sources: W. G. Cochran, The distribution of the largest of a set of estimated variances as a fraction of their total,
Annals of Eugenics 11, 1941; F. E. Satterthwaite, An approximate distribution of estimates of variance components,
Biometrics Bulletin 2, 1946.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from ngxlab_verdict.design import Floats
from ngxlab_verdict.quantiles import t_sf

_DOUBTFUL = 0.4
_SURE = 0.1
"""Between these p values the suspicion grows from none to full."""
_UNLIKE = 0.003


class Suspect(NamedTuple):
    """``arm``: the one that scatters most, 0 is the baseline. ``chance``: that one of equal arms seems to, as much."""

    arm: int
    chance: float

    @property
    def unlike(self) -> bool:
        return self.chance < _UNLIKE

    @property
    def weight(self) -> float:
        """From 0, no suspicion, to 1."""
        return min(max((_DOUBTFUL - self.chance) / (_DOUBTFUL - _SURE), 0.0), 1.0)


def suspect(squares: Floats, degrees: float) -> Suspect:
    """``squares``: of the residuals, summed for each of three arms or more. ``degrees``: of an arm's own scatter."""
    arms = len(squares)
    noisiest = int(squares.argmax())
    own = float(squares[noisiest] / squares.sum()) * arms / (arms - 1)
    f = own * (arms - 2) / max(1 - own, 1e-12)
    return Suspect(noisiest, min(arms * float(scipy.special.fdtrc(degrees, (arms - 2) * degrees, f)), 1.0))


def suspect_of_several(metrics: Sequence[Floats]) -> Suspect | None:
    """The suspect by several metrics, each with all its ``values[arm, block]``: a noisy arm is so in many of them.

    The residuals of one metric are independent of the means of all, so that looking at them favours no claim. Metrics
    that correlate count less: as many as independent ones whose mean share would scatter as much.
    """
    if len(metrics) < 2 or len(metrics[0]) < 3:
        return None
    values = np.array(metrics)
    residuals = (
        values - values.mean(1, keepdims=True) - values.mean(2, keepdims=True) + values.mean((1, 2), keepdims=True)
    )
    flat = residuals.reshape(len(metrics), -1)
    flat = flat / np.sqrt((flat**2).sum(axis=1, keepdims=True))
    shares = (flat.reshape(residuals.shape) ** 2).sum(axis=2).mean(axis=0)
    arms, degrees = len(shares), values.shape[2] - 1
    return suspect(shares, degrees * _independent(np.einsum("ac,bc->ab", flat, flat), (arms - 1) * degrees))


def _independent(correlations: Floats, degrees: int) -> float:
    """The number of independent metrics worth these. By chance alone, squared correlations average 1/degrees."""
    count = len(correlations)
    square = (float((correlations**2).sum()) - count) / (count * (count - 1))
    square = min(max((square - 1 / degrees) / (1 - 1 / degrees), 0.0), 1.0)
    return count / (1 + (count - 1) * square)


_OF_ONE_ARM = 0.7
_OF_BASELINE = 0.4
"""The error of each comparison, as a multiple of that of the family: less if the baseline scatters most, since then
all comparisons can be wrong."""
_LEAST = 1e-300
_FAR = 1e150
"""Standard errors from 0: beyond any quantile."""


class Contrast(NamedTuple):
    """The variance of each contrast, and its degrees of freedom."""

    variance: Floats
    degrees: Floats


@dataclass(frozen=True)
class Guard:
    """Each arm's own standard error against the baseline, 0 where none is needed, with its degrees of freedom."""

    suspect: Suspect
    errors: Floats
    degrees: Floats

    def p_values(self, estimates: Floats) -> Floats:
        """p values to be compared with the error of the family."""
        far = np.full(len(estimates), _FAR)
        reached = np.divide(np.abs(estimates), self.errors, out=far, where=self.errors > 0)
        return np.minimum(t_sf(np.minimum(reached, _FAR), self.degrees) / self._multiple, 1.0)

    def half_widths(self, alpha: float) -> Floats:
        share = min(alpha * self._multiple, 1.0)
        return np.asarray(self.errors * -scipy.special.stdtrit(self.degrees, share / 2), np.float64)

    @property
    def _multiple(self) -> float:
        of_all = _OF_BASELINE if self.suspect.arm == 0 else _OF_ONE_ARM
        return of_all / max(self.suspect.weight, 1e-9)


def guard(suspect: Suspect, squares: Floats, pairs: Floats, variances: Floats, *, balanced: bool) -> Guard:
    """``squares``: of each arm's residuals, the baseline first. ``variances``: of each arm's differences in pairs."""
    if balanced:
        variance, degrees = own_scatter(suspect.arm, squares, pairs[0] - 1.0, 1.0, 1.0)
        errors, freedom = np.full(len(pairs), np.sqrt(variance / pairs[0])), np.full(len(pairs), degrees)
    else:
        errors, freedom = np.sqrt(variances / pairs), pairs - 1.0
    if suspect.arm > 0:
        errors = np.where(np.arange(len(pairs)) == suspect.arm - 1, errors, 0.0)
    return Guard(suspect, errors, freedom)


def own_scatter(arm: int, squares: Floats, degrees: float, own: Floats | float, others: Floats | float) -> Contrast:
    """Contrasts to which this arm's variance adds ``own`` times, those of all others together ``others`` times.

    The arm's differences from the mean of the others have ``degrees``, and scatter by both. ``squares``: of the
    residuals, summed for each of three arms or more.
    """
    arms = len(squares)
    apart = np.asarray(own) * float(squares[arm]) * (arms / (arms - 1)) ** 2 / degrees
    of_rest = max(float(squares.sum() - squares[arm] * arms / (arms - 1)), 0.0) / ((arms - 2) * degrees)
    rest = np.maximum(np.asarray(others) - np.asarray(own) / (arms - 1), 0.0) * of_rest
    both = apart + rest
    return Contrast(both, degrees * both**2 / np.maximum(apart**2 + rest**2 / (arms - 2), _LEAST))
