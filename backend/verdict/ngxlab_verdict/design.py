"""The block design of one metric: which arms were measured in which blocks, and what follows for least squares.

The model is value = block + arm + error. Everything here depends on the pattern of measured cells alone and is kept
for the next metric with the same pattern.
"""

from dataclasses import dataclass
from functools import lru_cache
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
class Design:
    """``solve`` turns the cells into the arms' differences from the baseline, ``residual`` into residuals.

    ``own_degrees``: those of each arm's residuals, the baseline first; ``weights[difference, arm]``: as of subsets.
    """

    arms: int
    degrees: int
    own_degrees: Floats
    solve: Floats
    residual: Floats
    weights: Floats
    balanced: bool
    subsets: tuple[Subsets, ...]


def design(present: Flags) -> Design:
    """``present[arm, block]``, the baseline first. Raises ValueError if the arms are not connected through blocks."""
    return _design(present.shape, np.ascontiguousarray(present).tobytes())


@lru_cache(maxsize=4096)
def _design(shape: tuple[int, int], cells: bytes) -> Design:
    present = np.frombuffer(cells, np.bool_).reshape(shape)
    arm, block = np.nonzero(present)
    columns = np.concatenate(
        [block[:, None] == np.arange(shape[1]), arm[:, None] == np.arange(1, shape[0])], axis=1
    ).astype(np.float64)
    rank = int(np.linalg.matrix_rank(columns))
    if rank < int(present.any(0).sum()) + shape[0] - 1:
        raise ValueError("the arms are not connected through blocks")
    inverse = np.linalg.pinv(columns)
    solve = inverse[shape[1] :]
    parts = np.array([solve[:, arm == one] @ solve[:, arm == one].T for one in range(shape[0])])
    residual = np.eye(len(arm)) - columns @ inverse
    k = shape[0] - 1
    return Design(
        arms=k,
        degrees=len(arm) - rank,
        own_degrees=np.bincount(arm, np.diag(residual)).astype(np.float64),
        solve=np.asarray(solve, np.float64),
        residual=residual,
        weights=np.asarray(np.einsum("add->da", parts), np.float64),
        balanced=bool(present.all()),
        subsets=tuple(_subsets(size, parts) for size in range(1, k + 1)) if k <= MAX_CLOSED_ARMS else (),
    )


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
