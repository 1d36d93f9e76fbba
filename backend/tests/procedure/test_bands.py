"""Bands over several points against draws whose truth and correlation are known."""

import math

import numpy as np
import pytest
from ngxlab_verdict.bands import band
from scipy.stats import t

POINTS = 9


@pytest.mark.parametrize(("blocks", "shared"), [(3, 0.5), (5, 0.0), (5, 0.9), (20, 0.5)])
def test_it_holds_at_all_points_together(blocks: int, shared: float) -> None:
    """``shared``: the part of the variance that all points have in common."""
    random, experiments, held = np.random.default_rng(blocks), 120, 0
    for _ in range(experiments):
        common, own = random.standard_normal((blocks, 1)), random.standard_normal((blocks, POINTS))
        found = band(math.sqrt(shared) * common + math.sqrt(1 - shared) * own, 0.05)
        held += bool((abs(found.estimate) <= found.half).all())
    assert abs(held / experiments - 0.955) <= 0.02 + 2.5 * math.sqrt(0.95 * 0.05 / experiments)


def test_of_a_single_point_it_is_students_interval() -> None:
    differences = np.random.default_rng(1).normal(0.1, 0.03, (6, 1))
    found = band(differences, 0.05)
    assert found.estimate[0] == pytest.approx(differences.mean())
    assert found.half[0] == pytest.approx(t.ppf(0.975, 5) * differences.std(ddof=1) / math.sqrt(6), rel=0.04)


def test_points_that_move_together_need_a_narrower_band() -> None:
    random = np.random.default_rng(2)
    apart = random.standard_normal((8, POINTS))
    together = np.repeat(apart[:, :1], POINTS, axis=1)
    assert band(together, 0.05).half[0] < 0.8 * band(apart, 0.05).half[0]


def test_it_is_no_narrower_than_the_steps_of_its_values() -> None:
    found = band(np.zeros((4, 2)), 0.05, np.array([0.01, 0.02]))
    assert found.half.tolist() == [0.01, 0.02]


def test_two_blocks_are_too_few() -> None:
    with pytest.raises(ValueError, match="needs 3 blocks"):
        band(np.zeros((2, 2)), 0.05)
