"""Whether runs that follow each other resemble each other: then their scatter does not show how far a level drifts.

Source: the test is on the lag-1 autocorrelation (J. von Neumann, Distribution of the ratio of the mean square
successive difference to the variance, Annals of Mathematical Statistics 12, 1941), of residuals about the levels that
were found, so that a change of level is not taken for it, and of all lines together, as few runs show little of it.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ngxlab_verdict.design import Floats
from ngxlab_verdict.level_shifts import ChangePoint

BEYOND = 1.645
"""Standard errors: independent runs are taken for resembling ones in about 5 % of experiments."""
_NO_SCATTER = 1e-12


class Level(NamedTuple):
    """A line between two change points. ``runs``: places among all runs, ascending; ``means``: one a run, additive."""

    runs: Sequence[int]
    means: Sequence[float]


def levels_of(runs: Sequence[int], means: Sequence[float], points: Sequence[ChangePoint]) -> list[Level]:
    """A line, cut at its change points."""
    ends = [0, *(point.at for point in points), points[-1].end if points else len(runs)]
    return [Level(runs[start:end], means[start:end]) for start, end in pairwise(ends)]


def runs_resemble(lines: Sequence[Sequence[Level]]) -> bool:
    """Whether the correlation of neighbouring runs, over all ``lines``, is greater than chance explains.

    Lines that move together, as those of one run do, count as correspondingly fewer.
    """
    summed = [one for line in lines if (one := _Line.of(line)) is not None]
    if not summed:
        return False
    residuals = np.zeros((len(summed), 1 + max(int(one.runs.max()) for one in summed)))
    for row, one in zip(residuals, summed, strict=True):
        row[one.runs] = one.residuals
    alike = (residuals @ residuals.T / np.sqrt(np.outer(*[(residuals**2).sum(axis=1)] * 2))) ** 2
    errors = np.sqrt([one.pairs for one in summed])
    return sum(one.excess for one in summed) > BEYOND * math.sqrt(float(errors @ alike @ errors))


class _Line(NamedTuple):
    """``excess``: of the sum of products of neighbours over that of independent runs; its variance is ``pairs``."""

    runs: np.ndarray[tuple[int], np.dtype[np.int64]]
    residuals: Floats
    excess: float
    pairs: int

    @classmethod
    def of(cls, levels: Sequence[Level]) -> "_Line | None":
        """``None`` for a line without scatter, or neighbours."""
        parts = [np.asarray(level.means, np.float64) - np.mean(level.means) for level in levels if level.means]
        residuals, pairs = np.concatenate([np.empty(0), *parts]), sum(len(part) - 1 for part in parts)
        size = max((abs(mean) for level in levels for mean in level.means), default=0.0)
        if pairs == 0 or (variance := float((residuals**2).sum()) / pairs) <= (_NO_SCATTER * max(1.0, size)) ** 2:
            return None
        products = sum(float((part[:-1] * part[1:]).sum()) for part in parts) / variance
        independent = -sum((len(part) - 1) / len(part) for part in parts)
        runs = np.concatenate([np.asarray(level.runs, np.int64) for level in levels if level.means])
        return cls(runs, residuals, products - independent, pairs)
