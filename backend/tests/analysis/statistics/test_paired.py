"""Known answers, symmetry, and the coverage that the procedure promises."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ngxlab.analysis.schemas import Direction
from ngxlab.analysis.statistics.paired import (
    MAX_MORE_BLOCKS,
    Estimate,
    estimate,
    judge,
    log_ratios,
    more_blocks,
    noise_margin,
)

MARGIN = math.log(1.02)


def test_interval_by_hand() -> None:
    # Differences 1 … 5: mean 3, s = sqrt(2.5), t(0.975, 4) = 2.776445 (tables), half width 1.963243.
    result = estimate([1, 2, 3, 4, 5])
    assert result.mean == 3
    assert result.low == pytest.approx(3 - 1.963243, abs=1e-6)
    assert result.high == pytest.approx(3 + 1.963243, abs=1e-6)


def test_log_ratios_pair_by_block() -> None:
    assert log_ratios([(200, 100), (50, 100)]) == pytest.approx([math.log(2), -math.log(2)])
    with pytest.raises(ValueError, match="positive"):
        log_ratios([(0, 100)])


def test_a_single_pair_has_no_interval_and_no_verdict() -> None:
    result = estimate([0.7])
    assert result == Estimate(0.7, None, None, None, 1)
    assert judge(result, MARGIN, "more_is_better") == ("inconclusive", None)


def test_no_pair_is_an_error() -> None:
    with pytest.raises(ValueError, match="no pair"):
        estimate([])


@pytest.mark.parametrize(
    ("low", "high", "direction", "expected"),
    [
        (0.10, 0.20, "more_is_better", "better"),
        (0.10, 0.20, "less_is_better", "worse"),
        (-0.20, -0.10, "more_is_better", "worse"),
        (-0.20, -0.10, "less_is_better", "better"),
        (0.10, 0.20, "neutral", "higher"),
        (-0.20, -0.10, "neutral", "lower"),
        (-0.01, 0.015, "more_is_better", "equivalent"),
        (0.005, 0.20, "more_is_better", "inconclusive"),
        (-0.20, 0.20, "more_is_better", "inconclusive"),
        (0.015, 0.10, "more_is_better", "inconclusive"),
    ],
)
def test_verdicts(low: float, high: float, direction: Direction, expected: str) -> None:
    verdict, _ = judge(Estimate((low + high) / 2, 0.01, low, high, 5), MARGIN, direction)
    assert verdict == expected


@given(st.lists(st.tuples(st.floats(1, 1e6), st.floats(1, 1e6)), min_size=2, max_size=10))
def test_exchanging_the_arms_exchanges_the_verdict(pairs: list[tuple[float, float]]) -> None:
    there = estimate(log_ratios(pairs))
    back = estimate(log_ratios([(b, a) for a, b in pairs]))
    assume(there.low is not None and min(abs(abs(there.low) - MARGIN), abs(abs(there.high or 0) - MARGIN)) > 1e-9)
    exchanged = {"better": "worse", "worse": "better"}
    verdict, further = judge(there, MARGIN, "more_is_better")
    assert judge(back, MARGIN, "more_is_better")[0] == exchanged.get(verdict, verdict)
    assert judge(back, MARGIN, "more_is_better")[1] == further


def test_more_blocks_is_the_least_number_that_resolves_the_margin() -> None:
    result = estimate([-0.04, 0.05, 0.03, -0.01, 0.04])
    further = more_blocks(result, MARGIN)
    assert further is not None
    assert result.stdev is not None

    def half_width(n: int, t: float) -> float:
        return t * (result.stdev or 0) / math.sqrt(n)

    # t(0.975, 15) = 2.13145 and t(0.975, 16) = 2.11991, from tables; s = sqrt(0.00572 / 4).
    assert result.stdev == pytest.approx(math.sqrt(0.00572 / 4))
    assert half_width(16, 2.13145) > MARGIN
    assert half_width(17, 2.11991) <= MARGIN
    assert further == 17 - 5


def test_more_blocks_is_unsaid_where_more_would_not_settle_it() -> None:
    assert more_blocks(estimate([0.0199, 0.0197, 0.0198]), MARGIN) is None
    assert more_blocks(estimate([0.5, 0.5]), MARGIN) is None
    assert more_blocks(estimate([1.0]), MARGIN) is None


def test_more_blocks_ends_somewhere() -> None:
    assert more_blocks(estimate([-9.0, 9.0]), MARGIN) == MAX_MORE_BLOCKS


def test_margin_is_two_percent_or_the_host_s_own_noise() -> None:
    assert noise_margin() == 0.02
    assert noise_margin(0.005) == 0.02
    assert noise_margin(0.034) == 0.034


@pytest.mark.parametrize("n", range(3, 11))
def test_the_interval_covers_the_truth_as_often_as_it_says(n: int) -> None:
    """Log-normal trials with a common block effect; 2,500 repetitions put the standard error at 0.44 %."""
    rng = np.random.default_rng(20_240 + n)
    repetitions, truth = 2500, math.log(1.1)
    blocks = rng.normal(0, 0.2, (repetitions, n))
    baseline = np.exp(8 + blocks + rng.normal(0, 0.03, (repetitions, n)))
    arm = np.exp(8 + truth + blocks + rng.normal(0, 0.03, (repetitions, n)))
    covered = 0
    for arm_values, baseline_values in zip(arm.tolist(), baseline.tolist(), strict=True):
        result = estimate(log_ratios(list(zip(arm_values, baseline_values, strict=True))))
        assert result.low is not None
        assert result.high is not None
        covered += result.low <= truth <= result.high
    assert 0.93 <= covered / repetitions <= 0.97
