"""The best of many arms: heats that drop about half of them each, before those left are measured in fresh blocks.

What was measured in heats chooses, and nothing else: the winner of many is flattered by its luck, so claims are made of
fresh blocks alone.

Sources: Z. Karnin, T. Koren, O. Somekh, Almost optimal exploration in multi-armed bandits, ICML 2013 (sequential
halving); R. E. Bechhofer, A single-sample multiple decision procedure for ranking means, Annals of Mathematical
Statistics 25, 1954 (the indifference zone: arms that are equal but for one are the hardest to choose from); J. C. Hsu,
Constrained simultaneous confidence intervals for multiple comparisons with the best, Annals of Statistics 12, 1984.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ngxlab_verdict.design import Floats

_SIMULATED = 8000
_SEED = 20131
SURE = 0.95
"""With this probability an arm that is better by :attr:`Error.sure_from` stays."""


def kept_by_heat(arms: int, finalists: int) -> tuple[int, ...]:
    """How many of ``arms`` are left after each heat. The baseline, which always stays, is not counted.

    Each heat leaves the same share, half of the arms or less, as whole heats allow. Raises ValueError if there is
    nobody to drop.
    """
    if not 1 <= finalists < arms:
        raise ValueError(f"{finalists} of {arms} arms is no selection")
    heats = max(1, math.floor(math.log2(arms / finalists)))
    left = [math.ceil(arms * (finalists / arms) ** (number / heats) - 1e-9) for number in range(1, heats)]
    return (*left, finalists)


def trials_of_heats(arms: int, finalists: int, blocks: int) -> int:
    """How many trials the heats take, with ``blocks`` each: of ``arms`` and the baseline."""
    return blocks * sum(entering + 1 for entering in (arms, *kept_by_heat(arms, finalists)[:-1]))


def standings(values: Floats) -> Floats:
    """``values[arm, block]``, on an additive scale and NaN where there is none -> how far each arm lies above the mean
    of all in its blocks, NaN for an arm without a value."""
    present = ~np.isnan(values)
    of_blocks = np.where(present, values, 0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    sums, counts = np.where(present, values - of_blocks, 0).sum(axis=1), present.sum(axis=1)
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan), np.float64)


def best(values: Floats, keep: int) -> list[int]:
    """The ``keep`` arms of ``values[arm, block]`` that lie highest, the best first; of equals the earlier one.

    An arm without a value is never among them, so that there may be fewer.
    """
    found = standings(values)
    order = sorted(range(len(found)), key=lambda arm: (math.isnan(found[arm]), -found[arm]))
    return [arm for arm in order[:keep] if not math.isnan(found[arm])]


@dataclass(frozen=True)
class Noise:
    """``deviation``: of one value, beside what its block has in common. ``degrees``: of freedom."""

    deviation: float
    degrees: int


def noise_of(heats: Sequence[Floats]) -> Noise | None:
    """From ``values[arm, block]`` of each heat, of the arms that have every block in which any has a value; ``None``:
    they do not tell."""
    squares, degrees = 0.0, 0
    for values in heats:
        told = values[:, ~np.isnan(values).all(axis=0)]
        whole = told[~np.isnan(told).any(axis=1)]
        arms, blocks = whole.shape
        if arms < 2 or blocks < 2:
            continue
        residuals = whole - whole.mean(axis=1, keepdims=True) - whole.mean(axis=0) + whole.mean()
        squares, degrees = squares + float((residuals**2).sum()), degrees + (arms - 1) * (blocks - 1)
    return Noise(math.sqrt(squares / degrees), degrees) if degrees else None


@dataclass(frozen=True)
class Error:
    """How a choice can err, in the hardest case: one arm is better, and all others are equal.

    ``dropped``: the probability that an arm is dropped which is better than all others by the margin. ``sure_from``: by
    how much, on the additive scale, an arm has to be better to stay with :data:`SURE`.
    """

    dropped: float
    sure_from: float


def error_of(arms: int, finalists: int, blocks: int, noise: Noise, margin: float) -> Error:
    """``blocks``: of each heat. ``margin``: on the additive scale of ``noise``. Simulated, always alike."""
    random = np.random.default_rng(_SEED)
    deviations = noise.deviation * np.sqrt(noise.degrees / random.chisquare(noise.degrees, _SIMULATED))
    needed = _needed(arms, kept_by_heat(arms, finalists), blocks) * deviations
    return Error(float((needed > margin).mean()), max(0.0, float(np.quantile(needed, SURE))))


@lru_cache(maxsize=64)
def _needed(arms: int, kept: tuple[int, ...], blocks: int) -> Floats:
    """By how much one arm has to be better than the others to stay in all heats, in units of a value's deviation.

    Of each simulated selection. While that arm is in, who else stays does not depend on how much better it is.
    """
    random = np.random.default_rng(_SEED + 1)
    sums, needed = np.zeros((_SIMULATED, arms)), np.full(_SIMULATED, -np.inf)
    for number, keep in enumerate(kept, start=1):
        sums += random.standard_normal(sums.shape) / math.sqrt(blocks)
        means = sums / number
        others = np.argsort(-means[:, 1:], axis=1)[:, :keep]
        last = np.take_along_axis(means[:, 1:], others[:, -1:], axis=1)[:, 0]
        needed = np.maximum(needed, last - means[:, 0])
        stay = np.concatenate([np.zeros((_SIMULATED, 1), np.int64), others[:, : keep - 1] + 1], axis=1)
        sums = np.take_along_axis(sums, stay, axis=1)
    return needed
