"""Means of runs over time: where their level changed, and whether the latest differs (docs/method.md, Trends).

A run gives one mean. So what differs from one run to the next, and is in no interval within a run, is in these: they
rest on the scatter of the runs' means, whatever its reason. Means are on the additive scale (logarithms of ratios).

Sources: A. J. Scott, M. Knott, A cluster analysis method for grouping means in the analysis of variance, Biometrics 30,
1974 (binary segmentation); A. B. Olshen, E. S. Venkatraman, R. Lucito, M. Wigler, Circular binary segmentation for the
analysis of array-based DNA copy number data, Biostatistics 5, 2004 (stretches between others). Bonferroni's bound over
the places where the level may have changed stands in for their tests.

Runs that follow each other may resemble each other: then their scatter does not show how far a level drifts. That test
is on the lag-1 autocorrelation (J. von Neumann, Distribution of the ratio of the mean square successive difference to
the variance, Annals of Mathematical Statistics 12, 1941), of residuals about the levels that were found, so that a
change of level is not taken for it, and of all lines together, as few runs show little of it.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ngxlab_verdict.decision import Interval
from ngxlab_verdict.design import Floats
from ngxlab_verdict.quantiles import t_quantile, t_sf

CHANGE_ERROR = 0.01
LATEST_ERROR = 1 / (4 * 365)
"""The error of all lines together at one look, which every run of a schedule is. Looks that follow each other share
most of their runs, so that false change points seldom add up. With both, a nightly run of which nothing changes raises
about one false alarm a year (``scripts/simulations/runs.py``)."""
FEWEST_BEFORE = 3
"""Runs with which another can be compared, and between two change points."""
FEWEST_FOR_CHANGE = 2 * FEWEST_BEFORE
_NO_SCATTER = 1e-12

Places = NDArray[np.int64]


class ChangePoint(NamedTuple):
    """The level differs from run ``at`` on, up to ``end`` (excluded), from that of the runs from ``start`` on.

    ``interval``: of the later level less the earlier one.
    """

    start: int
    at: int
    end: int
    interval: Interval


class Latest(NamedTuple):
    """The last run less the mean of the ``before`` runs before it."""

    before: int
    interval: Interval


def change_points(means: Sequence[float], level: float) -> list[ChangePoint]:
    """Change points in order. ``level``: the chance that any is found although all means are of one level.

    The runs are split where Student's t between the sides is greatest, if that is beyond Bonferroni's bound for all
    places; else around the stretch that differs most from all the others, likewise; and each part again. Each part has
    :data:`FEWEST_BEFORE` runs or more, and each search half of the error. An odd latest run, which may be the
    first of another level, hides no change before it: if more are found without it, it is left out.
    """
    values = np.asarray(means, np.float64)
    splits, without = _splits(values, level), _splits(values[:-1], level)
    ends = [0, *splits, len(values)] if len(splits) >= len(without) else [0, *without, len(values) - 1]
    return [
        ChangePoint(start, at, end, _between(values[start:at], values[at:end], level))
        for start, at, end in zip(ends, ends[1:], ends[2:], strict=False)
    ]


def latest(means: Sequence[float], level: float) -> Latest | None:
    """Against the runs since the last change point before it; ``None`` if they are too few, or do not scatter.

    The interval is one of prediction: it holds the difference of a further run of the same level with a probability of
    1 - ``level``.
    """
    every = np.asarray(means, np.float64)
    before = every[:-1]
    before = before[max([0, *_splits(before, level)]) :]
    if len(before) < FEWEST_BEFORE or (scatter := float(before.std(ddof=1))) <= _least(every):
        return None
    estimate = float(every[-1] - before.mean())
    half = t_quantile(level, len(before) - 1.0) * scatter * math.sqrt(1 + 1 / len(before))
    return Latest(len(before), Interval(estimate, estimate - half, estimate + half))


def _splits(values: Floats, level: float) -> list[int]:
    runs = len(values)
    places = _places(runs)
    ends = _best(values, np.zeros_like(places), places, level / 2)
    if not ends:
        starts, stops = _stretches(runs)
        ends = _best(values, starts, stops, level / 2)
    if not ends:
        return []
    parts = [0, *ends, runs]
    inside = [start + at for start, end in pairwise(parts) for at in _splits(values[start:end], level)]
    return sorted({*ends, *inside})


def _places(runs: int) -> Places:
    """Places at which a second side may begin."""
    return np.arange(FEWEST_BEFORE, runs - FEWEST_BEFORE + 1)


def _stretches(runs: int) -> tuple[Places, Places]:
    """Places at which a stretch between two others may begin and end."""
    starts, stops = np.meshgrid(_places(runs), _places(runs), indexing="ij")
    long_enough = stops - starts >= FEWEST_BEFORE
    return starts[long_enough], stops[long_enough]


def _best(values: Floats, starts: Places, stops: Places, level: float) -> list[int]:
    """The ends, within the runs, of the stretch that differs most from all others; none if too little."""
    if len(stops) == 0:
        return []
    sizes = np.abs(_t_values(values, starts, stops))
    best = int(np.argmax(sizes))
    if float(t_sf(sizes[best], len(values) - 2.0)) * len(stops) > level:
        return []
    return [at for at in (int(starts[best]), int(stops[best])) if at > 0]


def _t_values(values: Floats, starts: Places, stops: Places) -> Floats:
    """t values of the difference between each stretch and the other runs, with their common scatter; 0 without any."""
    runs, inside = len(values), stops - starts
    centred = values - values.mean()
    upto = np.concatenate([[0.0], np.cumsum(centred)])
    sums = upto[stops] - upto[starts]
    weights = 1 / inside + 1 / (runs - inside)
    within = (centred**2).sum() - sums**2 * weights
    errors = np.sqrt(np.maximum(within, 0) / (runs - 2) * weights)
    scattered = errors > _least(values)
    return np.where(scattered, sums * weights / np.where(scattered, errors, 1), 0.0)


def _between(before: Floats, after: Floats, level: float) -> Interval:
    """Holds at all places where these runs may be split."""
    runs = len(before) + len(after)
    within = ((before - before.mean()) ** 2).sum() + ((after - after.mean()) ** 2).sum()
    error = math.sqrt(float(within) / (runs - 2) * (1 / len(before) + 1 / len(after)))
    estimate = float(after.mean() - before.mean())
    half = t_quantile(level / 2 / len(_places(runs)), runs - 2.0) * error
    return Interval(estimate, estimate - half, estimate + half)


def _least(values: Floats) -> float:
    """Scatter below it is that of rounding."""
    return _NO_SCATTER * max(1.0, float(np.abs(values).max(initial=0.0)))


BEYOND = 1.645
"""Standard errors: independent runs are taken for resembling ones in about 5 % of experiments."""


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
    return math.fsum(one.excess for one in summed) > BEYOND * math.sqrt(float(errors @ alike @ errors))


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
        independent = -math.fsum((len(part) - 1) / len(part) for part in parts)
        runs = np.concatenate([np.asarray(level.runs, np.int64) for level in levels if level.means])
        return cls(runs, residuals, products - independent, pairs)
