"""Print the table of ``ngxlab_verdict.sequential``: by simulation of pairs in which nothing differs."""

import numpy as np
from ngxlab_verdict.quantiles import t_sf
from ngxlab_verdict.sequential import COUNTS, ERRORS, FIRST_LOOK
from numpy.typing import NDArray

SEED = 20_260_102
EXPERIMENTS = 3_000_000
_AT_ONCE = 50_000
_KEPT = 0.1
"""The share of a chunk's experiments that is kept, of the smallest p values: no others decide about errors of 5 %."""

Floats = NDArray[np.float64]


def factors(experiments: int = EXPERIMENTS, seed: int = SEED) -> dict[int, list[float]]:
    """For each count of looks: by how much the errors ``ERRORS`` exceed those of each look."""
    random = np.random.default_rng(seed)
    chunks = [_smallest_p(random, _AT_ONCE) for _ in range(max(1, experiments // _AT_ONCE))]
    table = {}
    for count in COUNTS:
        smallest = np.sort(np.concatenate([chunk[count] for chunk in chunks]))
        table[count] = [error / float(smallest[int(error * len(chunks) * _AT_ONCE)]) for error in ERRORS]
    return table


def _smallest_p(random: np.random.Generator, experiments: int) -> dict[int, Floats]:
    """Student's t of the pairs so far at every look: the smallest p values of all looks up to each count."""
    first = random.standard_normal((experiments, FIRST_LOOK - 1))
    total, squares = first.sum(axis=1), (first**2).sum(axis=1)
    smallest, kept = np.ones(experiments), {}
    for count in range(1, COUNTS[-1] + 1):
        pairs = FIRST_LOOK - 1 + count
        value = random.standard_normal(experiments)
        total, squares = total + value, squares + value**2
        error = np.sqrt((squares - total**2 / pairs) / (pairs - 1) / pairs)
        smallest = np.minimum(smallest, _p(np.abs(total / pairs / error), pairs - 1))
        if count in COUNTS:
            kept[count] = np.sort(smallest)[: int(_KEPT * experiments)]
    return kept


def _p(t: Floats, degrees: int) -> Floats:
    """By interpolation, which is many times as fast."""
    grid = np.geomspace(0.01, 400, 6000)
    return np.exp(np.interp(np.log(np.maximum(t, 0.01)), np.log(grid), np.log(t_sf(grid, degrees))))


def main() -> None:
    for count, row in factors().items():
        print(f"    ({', '.join(f'{1 if count == 1 else factor:.3f}' for factor in row)}),", flush=True)


if __name__ == "__main__":
    main()
