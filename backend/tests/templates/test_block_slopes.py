"""Slopes through several arms: their interval respects blocks and a spread that grows, and a bend is noticed."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from ngxlab.templates.block_slopes import regression
from ngxlab.templates.chart_data import Point
from numpy.typing import NDArray

LEVELS = (1000, 10_000, 50_000, 100_000)
COUNT = 1000


def points(values: NDArray[np.float64], levels: Sequence[float] = LEVELS) -> list[Point]:
    """``values[block, level]``."""
    blocks = list(range(1, len(values) + 1))
    return [
        Point(x=level, y=float(column.mean()), values=column.tolist(), blocks=blocks)
        for level, column in zip(levels, values.T, strict=True)
    ]


def test_known_answer_over_blocks() -> None:
    """Slopes 1, 2 and 3: mean 2, s = 1, t(0.975, 2) = 4.3027."""
    found = regression(points(np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]]), (0, 1)))
    assert found is not None
    assert (found.slope, found.intercept) == pytest.approx((2, 0))
    assert found.points == 6
    assert found.ci_high - found.slope == pytest.approx(4.3027 / math.sqrt(3), rel=1e-4)


def test_a_block_without_all_arms_is_left_out() -> None:
    complete = points(np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 9.0]]), (0, 1))
    complete[1] = complete[1].model_copy(update={"values": [1.0, 2.0], "blocks": [1, 2]})
    found = regression(complete)
    assert found is not None
    assert found.slope == pytest.approx(1.5)


def test_one_block_or_one_level_does_not_tell() -> None:
    assert regression(points(np.array([[0.0, 1.0]]), (0, 1))) is None
    assert regression(points(np.array([[0.0, 1.0], [1.0, 2.0]]), (1, 1))) is None
    assert regression([]) is None


@pytest.mark.parametrize("growth", [0.0, 1.0])
@pytest.mark.parametrize("blocks", [3, 5])
def test_the_interval_covers_also_where_the_spread_grows(growth: float, blocks: int) -> None:
    random, held = np.random.default_rng(11), 0
    x = np.array(LEVELS, np.float64)
    spread = 1e6 * (1 - growth) + 20 * growth * x
    for _ in range(COUNT):
        values = 500 * x + 5e6 * random.standard_normal((blocks, 1)) + spread * random.standard_normal((blocks, 4))
        found = regression(points(values))
        assert found is not None
        held += found.ci_low <= 500 <= found.ci_high
    assert 0.93 - 0.01 <= held / COUNT <= 0.97 + 0.01


def test_a_bend_is_said_and_a_straight_line_is_not_called_bent() -> None:
    random, bent, straight = np.random.default_rng(12), 0, 0
    x = np.array(LEVELS, np.float64)
    for _ in range(COUNT):
        noise = 2e5 * random.standard_normal((5, 4))
        curved, even = (regression(points(500 * x * (1 + bend * x / x.max()) + noise)) for bend in (0.05, 0.0))
        assert curved is not None
        assert even is not None
        bent += curved.curved
        straight += even.curved
    assert bent / COUNT > 0.9
    assert straight / COUNT <= 0.05 + 3.5 * math.sqrt(0.05 * 0.95 / COUNT)
