"""The shift function: by how much an arm's latency differs from the baseline's at each of several percentiles.

It shows what a single figure hides: whether all responses are slower, or the slowest alone. Source: K. Doksum,
Empirical probability plots and statistical inference for nonlinear models in the two-sample case, Annals of Statistics
2, 1974; G. A. Rousselet, C. R. Pernet, R. R. Wilcox, Beyond differences in means: robust graphical methods to compare
two groups in neuroscience, European Journal of Neuroscience 46, 2017.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_verdict.bands import FEWEST_BLOCKS, band
from ngxlab_verdict.numbers import column_has_factors
from ngxlab_verdict.words import confidence
from numpy.typing import NDArray

from ngxlab.analysis.schemas import Shift, ShiftPoint, TrialSummary
from ngxlab.analysis.statistics.histograms import MIN_BEYOND, Histogram, step_us
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.claims import TrialsByBlock
from ngxlab.analysis.verdict.comparison import TOO_NOISY, says_nothing

FRACTIONS = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999)
NEEDED = np.array([round(MIN_BEYOND / min(fraction, 1 - fraction)) for fraction in FRACTIONS])
"""Responses of a trial, so that ten lie beyond the percentile."""


class _Seen(NamedTuple):
    """``counts[block]`` of responses, and percentiles in microseconds, ``[block, fraction]``."""

    counts: NDArray[np.int64]
    values: NDArray[np.float64]


class _Ratio(NamedTuple):
    """At one percentile, with the band; ``None`` without one."""

    estimate: float
    low: float | None
    high: float | None

    @property
    def says_nothing(self) -> bool:
        return self.low is not None and self.high is not None and says_nothing(self.low, self.high)


def shift(arm: TrialsByBlock, baseline: TrialsByBlock, error: float) -> Shift | None:
    """Paired by block. ``error``: that of the band, over all percentiles together.

    ``None`` where no block has a pair of trials with histograms.

    A percentile is shown where each trial has ten responses beyond it, and none of them is 0 us.
    """
    blocks = [block for block in sorted(arm) if block in baseline and _is_known(arm[block], baseline[block])]
    if not blocks:
        return None
    own, base = (_seen([trials[block] for block in blocks]) for trials in (arm, baseline))
    fewest = int(min(own.counts.min(), base.counts.min()))
    shown = (fewest >= NEEDED) & (own.values > 0).all(axis=0) & (base.values > 0).all(axis=0)
    points = np.flatnonzero(shown)
    return Shift(
        pairs=len(blocks),
        band=say("{level:g} % band", level=confidence(error)),
        missing=_missing(len(blocks), [FRACTIONS[place] for place in np.flatnonzero(~shown)]),
        points=_points(points, own.values[:, points], base.values[:, points], error),
    )


def _is_known(*trials: TrialSummary) -> bool:
    return all(trial.latency_histogram is not None for trial in trials)


def _seen(trials: Sequence[TrialSummary]) -> _Seen:
    histograms = [Histogram.decode(trial.latency_histogram or "") for trial in trials]
    counts = np.array([one.total for one in histograms])
    return _Seen(counts, np.array([one.values_at(FRACTIONS) for one in histograms]))


def _points(
    places: NDArray[np.int64], own: NDArray[np.float64], base: NDArray[np.float64], error: float
) -> list[ShiftPoint]:
    differences = np.log(own) - np.log(base)
    halves = None
    if len(differences) >= FEWEST_BLOCKS and len(places):
        halves = band(differences, error, _resolution(own) + _resolution(base)).half
    ratios = [
        _ratio(differences[:, column], None if halves is None else float(halves[column]))
        for column in range(len(places))
    ]
    factors = column_has_factors([(one.estimate, None if one.says_nothing else one.high) for one in ratios])
    found = []
    for column, (place, (ratio, low, high)) in enumerate(zip(places, ratios, strict=True)):
        text, band_text = numbers.estimate_texts(ratio, low, high, ratio=True, factors=factors)
        if ratios[column].says_nothing:
            band_text = TOO_NOISY
        means = (math.exp(math.fsum(np.log(one[:, column])) / len(one)) for one in (own, base))
        found.append(
            ShiftPoint(
                **dict(zip(("own_us", "baseline_us"), means, strict=True)),
                fraction=FRACTIONS[place], ratio=ratio, low=low, high=high, text=text, band_text=band_text,
            )
        )  # fmt: skip
    return found


def _ratio(differences: NDArray[np.float64], half: float | None) -> _Ratio:
    """``differences``: of logarithms, by block. ``half``: of the band, likewise."""
    estimate = math.fsum(differences) / len(differences)
    if half is None:
        return _Ratio(math.exp(estimate), None, None)
    return _Ratio(math.exp(estimate), math.exp(estimate - half), math.exp(estimate + half))


def _resolution(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Half the step of the histograms at each percentile, as a share of it."""
    steps = np.vectorize(step_us, otypes=[np.float64])(values)
    share: NDArray[np.float64] = (steps / values).mean(axis=0) / 2
    return share


def _missing(blocks: int, hidden: Sequence[float]) -> Sentence | None:
    """What is not shown, and why."""
    if blocks < FEWEST_BLOCKS:
        return say("A band needs {needed} pairs, and these are {pairs}.", needed=FEWEST_BLOCKS, pairs=blocks)
    if not hidden:
        return None
    names = ", ".join(f"p{100 * fraction:g}" for fraction in hidden)
    return say("Not shown: {names}. Fewer than ten responses of a trial lie beyond.", names=names)
