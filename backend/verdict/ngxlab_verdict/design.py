"""The block design of one metric: which arms were measured in which blocks, and what follows for least squares.

The model is value = block + arm + error. Everything here depends on the pattern of measured cells alone and is kept
for the next metric with the same pattern.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MAX_CLOSED_ARMS = 10
"""Beside the baseline. A closed test of k arms looks at 2^k - 1 subsets; with more arms Holm's method is used."""


@dataclass(frozen=True)
class Subsets:
    """All sets of ``size`` arms beside the baseline.

    ``contrasts[set, contrast, arm]`` of the differences have unit variance where all arms scatter alike;
    ``weights[set, contrast, arm]``, the baseline first: what each arm's variance adds to that of the contrast.
    ``members[set, arm]``.
    """

    size: int
    contrasts: Floats
    weights: Floats
    members: Flags


@dataclass(frozen=True)
class Blocks:
    """Which arms were measured in which blocks: ``measured[arm, block]``, the baseline first.

    Blocks with the same arms say the same of the design: ``patterns[pattern, arm]``, each in so many blocks
    (``counts``). So no matrix grows with the square of the number of blocks.
    """

    measured: Flags
    patterns: Flags
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, measured: Flags) -> "Blocks":
        patterns, counts = np.unique(measured[:, measured.any(axis=0)].T, axis=0, return_counts=True)
        return cls(measured, patterns, counts)

    @cached_property
    def deviations(self) -> Floats:
        """``[pattern, arm, effect]``: of each arm's effect from the mean of its block."""
        arms = len(self.measured)
        found = np.eye(arms) - (self.patterns / self.patterns.sum(axis=1, keepdims=True))[:, None, :]
        found[~self.patterns] = 0.0
        return np.asarray(found, np.float64)

    @property
    def information(self) -> Floats:
        """The matrix of the normal equations of the arms' effects, once the blocks are eliminated from them."""
        return np.asarray(np.einsum("p,pac,pad->cd", self.counts, self.deviations, self.deviations), np.float64)

    @property
    def degrees(self) -> int:
        """The degrees of freedom of the values less their blocks' means."""
        return int(self.measured.sum() - self.counts.sum())

    def centred(self, values: Floats) -> Floats:
        """Without each block's mean, 0 where nothing was measured. ``values[arm, block]``."""
        cells = np.where(self.measured, values, 0.0)
        means = cells.sum(axis=0) / np.maximum(self.measured.sum(axis=0), 1)
        return np.where(self.measured, cells - means, 0.0)


@dataclass(frozen=True)
class Design:
    """``degrees``: of all residuals; ``own_degrees``: those of each arm's, the baseline first.

    ``weights[difference, arm]``: as of subsets. ``inverse``: of the normal equations of the differences.
    """

    arms: int
    degrees: int
    own_degrees: Floats
    weights: Floats
    balanced: bool
    subsets: tuple[Subsets, ...]
    blocks: Blocks
    inverse: Floats

    def differences(self, values: Floats) -> Floats:
        """Those of the arms from the baseline. ``values[arm, block]``, of which only measured cells count."""
        return product(self.inverse, self.blocks.centred(values).sum(axis=1)[1:])

    def squares(self, values: Floats) -> Floats:
        """The squares of the residuals, summed for each arm, the baseline first."""
        effects = np.concatenate([[0.0], self.differences(values)])
        return np.asarray((self.blocks.centred(values - effects[:, None]) ** 2).sum(axis=1), np.float64)


def design(present: Flags) -> Design:
    """``present[arm, block]``, the baseline first. Raises ValueError if the arms are not connected through blocks."""
    return _design(present.shape, np.ascontiguousarray(present).tobytes())


@lru_cache(maxsize=4096)
def _design(shape: tuple[int, int], cells: bytes) -> Design:
    present = np.frombuffer(cells, np.bool_).reshape(shape)
    blocks, k = Blocks.of(present), shape[0] - 1
    information = blocks.information
    if np.linalg.matrix_rank(information) < k:
        raise ValueError("the arms are not connected through blocks")
    inverse = np.asarray(np.linalg.inv(information[1:, 1:]), np.float64)
    deviations = blocks.deviations[:, :, 1:]
    solved = np.einsum("pac,cd->pad", deviations, inverse)
    parts = np.einsum("p,pac,pad->acd", blocks.counts, solved, solved)
    shares = blocks.patterns / blocks.patterns.sum(axis=1, keepdims=True)
    left = blocks.patterns - shares - np.einsum("pac,pac->pa", solved, deviations)
    return Design(
        arms=k,
        degrees=blocks.degrees - k,
        own_degrees=np.asarray((blocks.counts[:, None] * left).sum(axis=0), np.float64),
        weights=np.asarray(np.einsum("add->da", parts), np.float64),
        balanced=bool(present.all()),
        subsets=tuple(_subsets(size, parts) for size in range(1, k + 1)) if k <= MAX_CLOSED_ARMS else (),
        blocks=blocks,
        inverse=inverse,
    )


def product(matrix: Floats, vector: Floats) -> Floats:
    """Without BLAS, whose sums may depend on the number of its threads."""
    return np.asarray((matrix * vector).sum(axis=1), np.float64)


def _subsets(size: int, parts: Floats) -> Subsets:
    """For each set: the deviation of every member, and of the baseline, from the mean of all of them.

    ``parts[arm]``: what the arm's variance adds to the covariance of the differences.
    """
    k = parts.shape[1]
    sets = list(combinations(range(k), size))
    members = np.zeros((len(sets), k), np.bool_)
    for row, chosen in enumerate(sets):
        members[row, list(chosen)] = True
    if size == 1:
        contrasts = members[:, None, :].astype(np.float64)
    else:
        contrasts = np.zeros((len(sets), size + 1, k))
        for row, chosen in enumerate(sets):
            own = np.eye(size) - 1 / (size + 1)
            contrasts[np.ix_([row], range(size), chosen)] = own
            contrasts[row, size, list(chosen)] = -1 / (size + 1)
    added = np.stack([((contrasts @ part) * contrasts).sum(axis=2) for part in parts], axis=2)
    variance = added.sum(axis=2, keepdims=True)
    return Subsets(size, contrasts / np.sqrt(variance), added / variance, members)
