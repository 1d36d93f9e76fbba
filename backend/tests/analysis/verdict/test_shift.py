"""Shift functions of pairs of distributions whose quantiles differ by a known amount, from real histograms."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from analysis.run_results import summary
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import ArmInfo, PlanFacts, Shift, TrialSummary
from ngxlab.analysis.verdict.shift import FRACTIONS, shift
from numpy.typing import NDArray
from scipy.stats import norm

from scripts.simulations.percentiles import of_values

Change = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""A change of responses' latencies; a monotone one changes each quantile by itself."""
SAME: Change = lambda latency: latency  # noqa: E731
SLOWER: Change = lambda latency: 1.1 * latency  # noqa: E731
_BODY = math.exp(8 + 0.4 * norm.ppf(0.9))
SLOW_TAIL: Change = lambda latency: np.maximum(latency, latency**2 / _BODY)  # noqa: E731


def measured(random: np.random.Generator, block: int, change: Change, count: int = 20_000) -> TrialSummary:
    """Log-normal responses of one trial, with a scatter of 2 % that all of them share, and another of the slowest."""
    body, tail = (float(value) for value in random.normal(0, 0.02, 2))
    latency = random.lognormal(8 + body, 0.4, count)
    latency = np.where(latency > _BODY, latency * math.exp(tail), latency)
    return summary("arm", block, 1000.0, latency_histogram=of_values(change(latency)).encode())


def found(random: np.random.Generator, change: Change, blocks: int = 5, count: int = 20_000) -> Shift:
    arm, base = ({block: measured(random, block, of, count) for block in range(1, blocks + 1)} for of in (change, SAME))
    result = shift(arm, base, 0.05)
    assert result is not None
    return result


def true_ratio(change: Change, fraction: float) -> float:
    value = np.array([math.exp(8 + 0.4 * norm.ppf(fraction))])
    return float(change(value)[0] / value[0])


@pytest.mark.parametrize("change", [SLOWER, SLOW_TAIL])
def test_it_is_the_change_of_each_quantile_that_the_responses_have(change: Change) -> None:
    result = found(np.random.default_rng(1), change, blocks=40)
    assert [point.fraction for point in result.points] == list(FRACTIONS)
    for point in result.points:
        assert point.ratio == pytest.approx(true_ratio(change, point.fraction), rel=0.02)
        assert point.ratio == pytest.approx(point.own_us / point.baseline_us)
    body, tail = result.points[2], result.points[-1]
    if change is SLOW_TAIL:
        assert (body.low or 0) < 1 < (body.high or 0), "nine of ten responses are as fast as before"
        assert (tail.low or 0) > 1.3


@pytest.mark.parametrize("change", [SAME, SLOW_TAIL])
def test_the_band_holds_the_truth_at_all_percentiles_together(change: Change) -> None:
    random, experiments = np.random.default_rng(2), 60
    held = 0
    for _ in range(experiments):
        points = found(random, change, count=12_000).points
        truths = [true_ratio(change, point.fraction) for point in points]
        held += all((p.low or 0) <= truth <= (p.high or 9) for p, truth in zip(points, truths, strict=True))
    assert 0.95 - 3 * math.sqrt(0.05 * 0.95 / experiments) <= held / experiments


def test_percentiles_of_too_few_responses_are_left_out_and_named() -> None:
    result = found(np.random.default_rng(3), SAME, count=900)
    assert [point.fraction for point in result.points] == [0.05, 0.1, 0.25, 0.5, 0.75, 0.9]
    assert result.missing == "Not shown: p1, p99, p99.9. Fewer than ten responses of a trial lie beyond."


def test_two_pairs_have_no_band() -> None:
    result = found(np.random.default_rng(4), SLOWER, blocks=2)
    assert {(point.low, point.high, point.band_text) for point in result.points} == {(None, None, None)}
    assert result.missing == "A band needs 3 pairs, and these are 2."


def test_identical_trials_differ_by_no_more_than_the_steps_of_their_histograms() -> None:
    trials = {block: measured(np.random.default_rng(5), block, SAME) for block in range(1, 6)}
    result = shift(trials, trials, 0.05)
    assert result is not None
    for point in result.points:
        assert point.ratio == 1
        assert 1 < (point.high or 0) < 1.002


def test_a_run_has_one_for_each_arm_beside_the_baseline_and_none_without_pairs_of_histograms() -> None:
    random = np.random.default_rng(6)
    arms = {"a": SAME, "b": SLOWER, "c": SLOWER}
    trials = [
        measured(random, block, change).model_copy(
            update={"arm": arm} | ({"latency_histogram": None} if arm == "c" else {})
        )
        for arm, change in arms.items()
        for block in range(1, 6)
    ]
    plan = PlanFacts(blocks=5, measure_s=10, warmup_s=2, trials_planned=15)
    analysis = analyse_run([ArmInfo(key=arm, label=arm) for arm in arms], "a", [(one, []) for one in trials], plan)
    base, slower, unread = (arm.shift for arm in analysis.arms)
    assert base is None
    assert unread is None
    assert slower is not None
    assert slower.pairs == 5
    assert (slower.points[4].low or 0) > 1
