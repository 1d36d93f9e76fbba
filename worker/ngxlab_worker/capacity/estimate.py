"""Where a capacity lies, by the steps of one search: a posterior like PLRsearch's (draft-vpolak-bmwg-plrsearch).

The chance that a step misses its goal rises with its rate, from a few steps in a hundred that miss it for reasons of
their own to nearly all. Where and how steeply it rises is not known, nor by which law: the posterior is taken over the
place, over steepnesses from a cliff to some percent, and over three laws, one symmetric and two that lean to either
side, since a single law would be too sure of what it has not seen. The capacity is the rate at which half of the sound
steps meet the goal.

Only whether a step met its goal is used, not by how much: its latencies depend on one another in unknown ways, and a
stall changes them without limit, but counts here as one miss. Places are a grid that is dense where steps were made,
so no sampler and no library beyond numpy is needed: a posterior costs some milliseconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ngxlab_worker.capacity.bounds import Tried

MISSED_ANYWAY = 0.05
MET_ANYWAY = 0.005
STEEPNESS = np.geomspace(0.0003, 0.025, 7)
"""Scales of ln(rate) within which the chance of a miss rises."""
SHORT_MET = 0.6
"""What a short step that met the goal counts, of a full one: in a full one its queues would have grown on."""
CELL_POINTS = 12
MEDIAN_OF_GUMBEL = float(-np.log(np.log(2)))

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Posterior:
    """``edges``: ln(rate), ascending, (n + 1,); ``mass``: of each cell between them, (n,), which add up to 1."""

    edges: Floats
    mass: Floats

    def quantile(self, share: float) -> float:
        """The rate below which the capacity lies with that probability."""
        reached = np.concatenate(([0.0], np.cumsum(self.mass)))
        return float(np.exp(np.interp(share, reached, self.edges)))

    def width(self, share: float = 0.8) -> float:
        """The ratio of the ends of the central interval of that probability, minus 1."""
        return self.quantile((1 + share) / 2) / self.quantile((1 - share) / 2) - 1


def posterior(steps: Sequence[Tried], from_per_s: float, to_per_s: float) -> Posterior:
    """By all steps that are not void; before them, each ratio of rates is as likely as any other."""
    edges = _edges([step.per_s for step in steps], from_per_s, to_per_s)
    places = (edges[1:] + edges[:-1]) / 2
    likelihoods = np.zeros((3, STEEPNESS.size, places.size))
    for step in steps:
        if step.result == "void":
            continue
        missed = MISSED_ANYWAY + (1 - MISSED_ANYWAY - MET_ANYWAY) * _rising(np.log(step.per_s) - places)
        if step.result == "missed":
            likelihoods += np.log(missed)
        else:
            likelihoods += (1 if step.is_full else SHORT_MET) * np.log1p(-missed)
    mass = np.exp(likelihoods - likelihoods.max()).sum(axis=(0, 1)) * np.diff(edges)
    return Posterior(edges, mass / mass.sum())


def _edges(rates: Sequence[float], from_per_s: float, to_per_s: float) -> Floats:
    """As many cells between any two neighbouring rates, so that a cliff between two of them is seen as one."""
    knots = np.unique(np.log(np.clip([from_per_s, to_per_s, *rates], from_per_s, to_per_s)))
    parts = [np.linspace(low, high, CELL_POINTS, endpoint=False) for low, high in pairwise(knots)]
    return np.concatenate([*parts, knots[-1:]])


def _rising(above: Floats) -> Floats:
    """The three laws at that distance in ln(rate) from the place, for each steepness: (3, steepnesses, places). Each is
    one half at the place itself."""
    z = np.clip(above / STEEPNESS[:, None], -30, 30)
    leans_up = np.exp(-np.exp(-z - MEDIAN_OF_GUMBEL))
    leans_down = -np.expm1(-np.exp(z - MEDIAN_OF_GUMBEL))
    return np.stack([1 / (1 + np.exp(-z)), leans_up, leans_down])
