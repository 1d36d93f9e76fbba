"""The universal scalability law of an arm: throughput against connections that wait for their answers.

n connections have n times the throughput of one, divided by 1 + contention (n - 1) + coherency n (n - 1)
(N. J. Gunther, "A simple capacity model of massively parallel transaction systems", CMG 1993). So n / throughput is
linear in three coefficients: each trial is fitted by itself by least squares of relative errors, and intervals are over
trials, as of every metric. Where throughput ends at a plateau with a corner, as at a limit of requests, the law is
another one and is not shown. A peak is named only where throughput falls within the range that was tried.
"""

import math
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.sentences import Sentence, say
from numpy.typing import NDArray

from ngxlab.analysis.schemas import CurveRate, Scalability, TrialCurve
from ngxlab.analysis.summary.curve import counts
from ngxlab.analysis.verdict.figures import figure, plain_figure

FEWEST_NUMBERS = 5
"""Of connections: two more than the law has coefficients."""
MOST_OFF_PERCENT = 5.0
ROUNDS = 4
"""Of weighting the errors by what was fitted before."""

Floats = NDArray[np.float64]


class Law(NamedTuple):
    per_connection: float
    contention: float
    coherency: float

    def per_s(self, connections: Floats) -> Floats:
        cost = 1 + self.contention * (connections - 1) + self.coherency * connections * (connections - 1)
        return connections * self.per_connection / cost

    @property
    def peak(self) -> float | None:
        """The number of connections with the highest throughput; ``None`` where it rises for ever."""
        if self.coherency <= 0 or self.contention >= 1:
            return None
        return float(np.sqrt((1 - self.contention) / self.coherency))


def scalability_of(curves: Sequence[TrialCurve]) -> Scalability | Sentence | None:
    """Or why there is none; ``None`` where no connections were counted."""
    trials = [(numbers, per_s) for curve in curves if (found := _points(curve.rates)) for numbers, per_s in [found]]
    if not trials:
        return None
    fewest = min(numbers.size for numbers, _ in trials)
    if fewest < FEWEST_NUMBERS:
        message = "the scalability law needs {least} numbers of connections in each trial: one has {count}"
        return say(message, least=FEWEST_NUMBERS, count=fewest)
    laws = [fitted(numbers, per_s) for numbers, per_s in trials]
    if any(law is None for law in laws):
        return say("no scalability law fits: throughput does not rise at first")
    sound = [law for law in laws if law is not None]
    off = 100 * _misfit(trials, sound)
    if off > MOST_OFF_PERCENT:
        return say("no scalability law fits: throughput is up to {off:.0f} % off the nearest one", off=off)
    peak = _peak(trials, sound)
    return Scalability(
        per_connection=figure([law.per_connection for law in sound]),
        contention=plain_figure([law.contention for law in sound]),
        coherency=plain_figure([law.coherency for law in sound]),
        peak=None if isinstance(peak, Sentence) else figure(peak),
        without_peak=peak if isinstance(peak, Sentence) else None,
        misfit_percent=off,
    )


def fitted(numbers: Floats, per_s: Floats) -> Law | None:
    """``None`` where some number of connections within those tried would have no throughput."""
    design = np.stack([np.ones_like(numbers), numbers - 1, numbers * (numbers - 1)], axis=1)
    cost = expected = numbers / per_s
    base = contention = coherency = 0.0
    for _ in range(ROUNDS):
        base, contention, coherency = np.linalg.lstsq(design / expected[:, None], cost / expected, rcond=None)[0]
        expected = design @ (base, contention, coherency)
        if base <= 0 or expected.min() <= 0:
            return None
    law = Law(1 / base, contention / base, coherency / base)
    # Also between the numbers that were tried, where the cost of a request may fall below nothing.
    between = np.geomspace(numbers[0], numbers[-1], 1000)
    return law if np.isfinite(between).all() and (law.per_s(between) > 0).all() else None


def _points(rates: Sequence[CurveRate]) -> tuple[Floats, Floats] | None:
    """Numbers of connections, ascending, and throughput: (n,) each; ``None`` where rates were set."""
    counted = sorted((one.connections, one.achieved_per_s) for one in rates if one.connections and counts(one))
    if not any(one.connections for one in rates):
        return None
    points = np.array([point for point in counted if point[1] > 0], dtype=float).reshape(-1, 2)
    return points[:, 0], points[:, 1]


def _means(trials: Sequence[tuple[Floats, Floats]], values: Sequence[Floats]) -> list[float]:
    """At each number of connections, the mean over trials."""
    pairs = sorted(zip(np.concatenate([numbers for numbers, _ in trials]), np.concatenate(values), strict=True))
    return [float(np.mean([value for _, value in group])) for _, group in groupby(pairs, key=lambda pair: pair[0])]


def _misfit(trials: Sequence[tuple[Floats, Floats]], laws: Sequence[Law]) -> float:
    residuals = [np.log(per_s / law.per_s(numbers)) for (numbers, per_s), law in zip(trials, laws, strict=True)]
    return max(abs(math.expm1(mean)) for mean in _means(trials, residuals))


def _peak(trials: Sequence[tuple[Floats, Floats]], laws: Sequence[Law]) -> list[float] | Sentence:
    """The peaks of all trials, or why none is named: it has to lie within what was tried, and throughput to fall."""
    fewest, most = min(numbers[0] for numbers, _ in trials), max(numbers[-1] for numbers, _ in trials)
    none = say("no peak from {fewest:,} to {most:,} connections", fewest=int(fewest), most=int(most))
    peaks = [peak for law in laws if (peak := law.peak) is not None]
    if len(laws) == 1:
        return say("one trial alone shows no peak")
    if len(peaks) < len(laws) or min(peaks) < fewest or max(peaks) > most:
        return none
    coherency, where = plain_figure([law.coherency for law in laws]), figure(peaks)
    ends = [law.per_s(np.array([most, peak])) for law, peak in zip(laws, peaks, strict=True)]
    if min(float(end.min()) for end in ends) <= 0:
        return none
    falls = figure([float(last / highest) for last, highest in ends])
    seen = (coherency.low or 0) > 0 and (where.high or most) < most and (falls.high or 1) < 1
    return peaks if seen and _has_fallen(trials) else none


def _has_fallen(trials: Sequence[tuple[Floats, Floats]]) -> bool:
    """Whether the most connections have less throughput than some number of them before, on average."""
    means = _means(trials, [np.log(per_s) for _, per_s in trials])
    return means[-1] < max(means)
