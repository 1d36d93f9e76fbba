"""Does one arm scatter more than the others, so that one estimate of the error should not serve all comparisons?

An arm's differences from the mean of the other arms have a variance of their own, which is independent of the others'
residuals: where all arms scatter alike, the quotient of the two has the F distribution. The noisiest of several arms is
looked at, so the p value is multiplied by their number (Bonferroni's bound, which is close for the largest of them).

Source: W. G. Cochran, The distribution of the largest of a set of estimated variances as a fraction of their total,
Annals of Eugenics 11, 1941.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc

from ngxlab_verdict.design import Floats

_DOUBTFUL = 0.2
_SURE = 0.05
"""Between these p values the suspicion grows from none to full."""
_UNLIKE = 0.003
SMALL = 0.01
"""At a smaller error, which the later metrics of a family have, a wrong estimate of the scatter counts most."""


class Suspect(NamedTuple):
    """``arm``: the one that scatters most, 0 is the baseline. ``chance``: that one of equal arms seems to, as much."""

    arm: int
    chance: float

    @property
    def unlike(self) -> bool:
        return self.chance < _UNLIKE

    def weight(self, alpha: float) -> float:
        """The weight from 0, no suspicion, to 1. Any arm is suspected where claims may use a small error only."""
        if alpha < SMALL:
            return 1.0
        return min(max((_DOUBTFUL - self.chance) / (_DOUBTFUL - _SURE), 0.0), 1.0)


def suspect(squares: Floats, degrees: float) -> Suspect:
    """``squares``: of the residuals, summed for each of three arms or more. ``degrees``: of an arm's own scatter."""
    arms = len(squares)
    noisiest = int(squares.argmax())
    own = float(squares[noisiest] / squares.sum()) * arms / (arms - 1)
    f = own * (arms - 2) / max(1 - own, 1e-12)
    return Suspect(noisiest, min(arms * float(fdtrc(degrees, (arms - 2) * degrees, f)), 1.0))


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
    return suspect(shares, degrees * _independent(flat @ flat.T, (arms - 1) * degrees))


def _independent(correlations: Floats, degrees: int) -> float:
    """The number of independent metrics worth these. By chance alone, squared correlations average 1/degrees."""
    count = len(correlations)
    square = (float((correlations**2).sum()) - count) / (count * (count - 1))
    square = min(max((square - 1 / degrees) / (1 - 1 / degrees), 0.0), 1.0)
    return count / (1 + (count - 1) * square)
