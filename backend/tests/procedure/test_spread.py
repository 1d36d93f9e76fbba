"""Arms that scatter more than the others: when they are suspected, and what follows."""

import numpy as np
import pytest
from ngxlab_verdict import Experiment, Question, judge
from ngxlab_verdict.spread import suspect, suspect_of_several


def test_equal_scatter_is_suspected_as_often_as_the_p_value_says() -> None:
    random = np.random.default_rng(3)
    chances = np.array([suspect(_squares(random.standard_normal((5, 5))), 4.0).chance for _ in range(4000)])
    for chance in (0.003, 0.05, 0.2):
        assert np.mean(chances < chance) == pytest.approx(chance, abs=0.02)


def _squares(values: np.ndarray) -> np.ndarray:
    residuals = values - values.mean(0) - values.mean(1, keepdims=True) + values.mean()
    return np.asarray((residuals**2).sum(1))


@pytest.mark.parametrize(("correlation", "seen"), [(0.0, 0.95), (0.6, 0.75), (0.95, 0.4)])
def test_metrics_together_see_what_one_cannot_and_correlated_ones_count_less(correlation: float, seen: float) -> None:
    random = np.random.default_rng(4)
    equal, noisy = [], []
    for _ in range(600):
        shared, own = random.standard_normal((1, 5, 5)), random.standard_normal((8, 5, 5))
        values = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own
        equal.append(_together(values))
        values[:, 2] *= 3
        noisy.append(_together(values))
    assert np.mean([chance < 0.05 for _, chance in equal]) < 0.08
    assert np.mean([arm == 2 and chance < 0.05 for arm, chance in noisy]) > seen


def _together(values: np.ndarray) -> tuple[int, float]:
    found = suspect_of_several(list(values))
    assert found is not None
    return found.arm, found.chance


def test_one_metric_or_two_arms_say_nothing_together() -> None:
    values = np.random.default_rng(5).standard_normal((2, 5, 5))
    assert suspect_of_several(list(values[:1])) is None
    assert suspect_of_several(list(values[:, :2])) is None


def test_an_arm_that_scatters_far_more_hides_no_difference_of_the_others() -> None:
    random = np.random.default_rng(6)
    values = np.exp(random.normal(0, 0.02, (2, 4, 5)))
    values[:, 2] *= np.exp(random.normal(0, 1, (2, 5)))
    values[:, 1] *= 1.1
    claims = judge(Experiment(["off", "on", "wild", "same"], ["rate", "p99"], values), Question(["rate", "p99"]))
    rate = {claim.arm: claim for claim in claims if claim.metric == "rate"}
    assert [rate[arm].verdict for arm in ("on", "wild", "same")] == ["better", "undecided", "undecided"]
    widths = {arm: np.log((claim.high or 0) / (claim.low or 1)) for arm, claim in rate.items()}
    assert widths["wild"] > 10 * widths["on"]


@pytest.mark.parametrize("scatter", [0.1, 0.5])
def test_a_noisy_arm_has_wide_intervals_also_where_values_are_missing(scatter: float) -> None:
    random = np.random.default_rng(8)
    values = np.exp(random.normal(0, 0.02, (1, 4, 6)))
    values[0, 3] *= np.exp(random.normal(0, scatter, 6))
    values[0, 1, 2] = values[0, 3, 4] = np.nan
    claims = {claim.arm: claim for claim in judge(Experiment(list("abcd"), ["m"], values), Question(["m"]))}
    widths = {arm: np.log((claim.high or 0) / (claim.low or 1)) for arm, claim in claims.items()}
    assert widths["d"] > 1.3 * widths["c"]
