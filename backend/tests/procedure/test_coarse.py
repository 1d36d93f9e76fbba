"""Values in whole steps, zeros, ties and bounds: intervals are exact, possible and have a width."""

import math

import numpy as np
import pytest
from ngxlab_verdict import Claim, Experiment, MetricRule, Question, judge
from ngxlab_verdict.coarse import Ranked, rank_interval
from scipy.stats import wilcoxon

RATE = MetricRule("less_is_better")
SECONDS = MetricRule("less_is_better", "difference", margin=1.0)


def claims(values: list[list[float]], rule: MetricRule) -> list[Claim]:
    arms = [f"a{index}" for index in range(len(values))]
    return judge(Experiment(arms, ["m"], np.array([values])), Question(primary=["m"], rules={"m": rule}))


def test_two_of_twice_one_needs_six_pairs_and_shows_what_a_step_may_hide() -> None:
    few, many = (claims([[1.0] * n, [2.0] * n], RATE)[0] for n in (5, 8))
    assert (few.low, few.verdict) == (None, "undecided")
    assert "an exact one needs 6" in (few.reason or "")
    assert many.estimate == pytest.approx(2)
    assert many.low == pytest.approx(1)
    assert many.high == pytest.approx(5)


def test_ranks_decide_where_the_steps_are_small_against_the_difference() -> None:
    claim = claims([[3, 4, 3, 3, 4, 3, 3, 4], [20, 21, 20, 21, 20, 20, 21, 20]], SECONDS)[0]
    assert claim.verdict == "worse"
    assert claim.low is not None
    assert claim.high is not None
    assert 15 <= claim.low < 17 < claim.high <= 19


def test_the_interval_is_that_of_the_signed_rank_test() -> None:
    """A shift is inside exactly if the exact test accepts it (no ties: a step far below the differences)."""
    random = np.random.default_rng(3)
    own, base = random.normal(1, 1, 10), np.zeros(10)
    ranked = rank_interval(own, base + 1e-9 * np.arange(10), "difference", 0.05)
    assert isinstance(ranked, Ranked)
    assert ranked.chance == pytest.approx(wilcoxon(own, method="exact").pvalue)
    interval = ranked.interval
    for shift, inside in ((interval.low + 1e-6, True), (interval.low - 1e-6, False), (interval.high + 1e-6, False)):
        assert (wilcoxon(own - shift, method="exact").pvalue > 0.05) == inside


@pytest.mark.parametrize("scale", ["ratio", "difference"])
@pytest.mark.parametrize("blocks", [2, 5, 8])
def test_no_interval_is_impossible_of_width_zero_or_absurd(scale: str, blocks: int) -> None:
    """One-second bins, often zero; a family of four arms, of which nothing differs."""
    random = np.random.default_rng(blocks)
    rule = SECONDS if scale == "difference" else RATE
    false = 0
    for _ in range(200):
        found = claims(random.poisson(1.2, (5, blocks)).astype(float).tolist(), rule)
        false += any(claim.verdict in {"better", "worse"} for claim in found)
        for claim in found:
            assert claim.estimate is None or scale == "difference" or 1e-3 <= claim.estimate <= 1e3
            if claim.low is not None and claim.high is not None:
                assert claim.high - claim.low > 0.1
    assert false / 200 <= 0.05 + 3.5 * math.sqrt(0.05 * 0.95 / 200)


def test_a_difference_of_shares_stays_within_their_range() -> None:
    share = MetricRule("more_is_better", "difference", margin=0.01, lowest=0, highest=1)
    claim = claims([[0.9, 0.1, 0.95], [0.05, 0.98, 0.02]], share)[0]
    assert (claim.low, claim.high) == (-1, 1)


def test_a_ratio_beyond_all_reason_is_not_shown() -> None:
    claim = claims([[1e-6, math.nan], [276.9, math.nan]], RATE)[0]
    assert (claim.estimate, claim.verdict) == (None, "undecided")


def test_a_coarse_arm_takes_its_share_of_the_error_from_the_others() -> None:
    rates = [
        [100.0, 101.0, 99.0, 102.0, 98.0, 100.5],
        [110.0, 112.0, 108.0, 113.0, 109.0, 111.0],
        [100.0, 101.0, 99.0, 102.0, 98.0, 100.5],
    ]
    fine, coarse = claims(rates, RATE)
    assert fine.level == pytest.approx(0.025)
    assert "coarse" in (coarse.reason or "")
