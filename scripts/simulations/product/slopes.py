"""Slopes over a number, such as bytes per connection."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from ngxlab.templates.block_slopes import regression
from ngxlab.templates.chart_data import Point
from numpy.typing import NDArray

HEAD = "slope over 1,000 to 100,000: spread | blocks | the interval covers | a straight line is called bent"
_X = np.array([1000.0, 10_000.0, 50_000.0, 100_000.0])
_SLOPE = 500.0


def rows() -> Iterator[tuple[str, Callable[..., list[float]]]]:
    for title, spread in (("the same everywhere", np.full_like(_X, 1e6)), ("grows with the number", 20 * _X)):
        for blocks in (3, 5, 10):
            yield f"{title} | {blocks}", partial(shares, blocks, spread)


def shares(blocks: int, spread: NDArray[np.float64], count: int, random: np.random.Generator) -> list[float]:
    covered = bent = 0
    for _ in range(count):
        common = 5e6 * random.standard_normal((blocks, 1))
        found = regression(_points(_SLOPE * _X + common + spread * random.standard_normal((blocks, _X.size))))
        if found is None:
            raise ValueError("two blocks of four points have a slope")
        covered += found.ci_low <= _SLOPE <= found.ci_high
        bent += found.curved
    return [covered / count, bent / count]


def _points(values: NDArray[np.float64]) -> list[Point]:
    """``values[block, x]``."""
    blocks = list(range(1, len(values) + 1))
    columns = zip(_X.tolist(), values.T, strict=True)
    return [Point(x=x, y=float(column.mean()), values=column.tolist(), blocks=blocks) for x, column in columns]
