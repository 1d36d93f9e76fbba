"""The comparison without normal scatter against scipy's signed-rank test, and trials that stand apart."""

import itertools
import math

import numpy as np
import pytest
from ngxlab_verdict.robust import outlying, robust, share_interval, unseen_share
from scipy.stats import binom, wilcoxon


@pytest.mark.parametrize(("pairs", "error"), [(5, 0.05), (6, 0.05), (9, 0.01), (14, 0.05)])
def test_its_interval_has_the_shifts_that_the_signed_rank_test_does_not_reject(pairs: int, error: float) -> None:
    differences = np.random.default_rng(pairs).normal(0.03, 0.02, pairs)
    found = robust(differences, error)
    assert found is not None
    for end, inwards in ((found.low, 1e-9), (found.high, -1e-9)):
        inside, outside = (wilcoxon(differences - end - step, method="exact").pvalue for step in (inwards, -inwards))
        assert inside > found.error >= outside - 1e-12
    assert found.error <= error or pairs == 5
    assert found.low < found.estimate < found.high


def test_five_pairs_have_94_percent_and_their_whole_range() -> None:
    differences = np.array([0.01, 0.02, 0.03, 0.05, 0.04])
    found = robust(differences, 0.01)
    assert found is not None
    assert found.error == pytest.approx(2 / 2**5)
    assert (found.low, found.high) == (0.01, 0.05)
    assert robust(differences[:4], 0.05) is None


def test_it_misses_the_truth_as_often_as_it_says_where_all_exchanges_are_alike() -> None:
    """Exactly: all ways in which the values of a block could have been exchanged, of skewed differences."""
    sizes = np.array([0.001, 0.002, 0.005, 0.02, 0.1, 0.9])
    missed, exchanges, stated = 0, 0, 0.0
    for signs in itertools.product((-1, 1), repeat=len(sizes)):
        found = robust(sizes * signs, 0.1)
        assert found is not None
        missed += not found.low <= 0 <= found.high
        exchanges, stated = exchanges + 1, found.error
    assert missed / exchanges == pytest.approx(stated)


def test_one_outlying_pair_moves_it_less_than_the_mean() -> None:
    differences = np.array([0.05, 0.051, 0.049, 0.05, 0.052, 0.048, 0.05, 0.051, 0.049, -0.4])
    found = robust(differences, 0.05)
    assert found is not None
    assert found.estimate == pytest.approx(0.05, abs=0.001)
    assert differences.mean() < 0.01


def test_an_effect_of_the_position_that_latin_squares_balance_leaves_it_right() -> None:
    """Two arms, 12 blocks in squares of two; who comes first has 5 % more. The interval may be too wide."""
    random, held, experiments = np.random.default_rng(3), 0, 400
    for _ in range(experiments):
        first = np.repeat(random.integers(0, 2, 6), 2) ^ np.tile([0, 1], 6)
        differences = np.where(first == 1, 0.05, -0.05) + random.normal(0, 0.01, 12)
        found = robust(differences, 0.05)
        assert found is not None
        held += found.low <= 0 <= found.high
    assert held / experiments >= 0.95


def test_a_stall_seen_once_stands_apart_in_the_arm_that_has_it() -> None:
    base = np.log([1000, 1010, 990, 1005, 995])
    own = base + np.array([0.05, 0.052, 0.048 - 0.36, 0.05, 0.051])
    found = outlying(own, base)
    assert found is not None
    assert (found.place, found.own) == (2, True)
    assert found.by == pytest.approx(-0.36, abs=0.02)
    swapped = outlying(base, own)
    assert swapped is not None
    assert (swapped.place, swapped.own) == (2, False)
    assert outlying(own[:4], base[:4]) is None, "fewer pairs cannot tell"


def test_normal_pairs_seldom_seem_to_stand_apart() -> None:
    random, experiments = np.random.default_rng(4), 2000
    named = sum(outlying(random.normal(0, 0.02, 5), random.normal(0, 0.02, 5)) is not None for _ in range(experiments))
    assert named / experiments <= 0.01 + 3 * math.sqrt(0.01 * 0.99 / experiments)


def test_shares_are_those_that_what_was_seen_allows() -> None:
    low, high = share_interval(1, 5)
    assert binom.sf(0, 5, low) == pytest.approx(0.025)
    assert binom.cdf(1, 5, high) == pytest.approx(0.025)
    assert unseen_share(5) == pytest.approx(0.45, abs=0.001)
    assert binom.pmf(0, 20, unseen_share(20)) == pytest.approx(0.05)
