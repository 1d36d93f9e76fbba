"""Words of exploratory comparisons: how many of them are false. Limits allow 3.5 standard errors."""

import math

import numpy as np
import pytest
from ngxlab_verdict import Claim, Experiment, Question, judge
from ngxlab_verdict.exploratory import highest_chance
from scipy.stats import false_discovery_control

from scripts.simulations.scenario import Scenario

COUNT = 200
DIFFER = {"higher", "lower"}


def at_most(share: float) -> float:
    return share + 3.5 * math.sqrt(share * (1 - share) / COUNT)


def exploratory(experiment: Experiment, primary: str) -> list[Claim]:
    return [claim for claim in judge(experiment, Question([primary])) if claim.family == "exploratory"]


def test_the_limit_is_that_of_benjamini_and_hochberg() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        chances = list(random.random(20) ** random.integers(1, 6))
        called = [chance <= highest_chance(chances, 0.05) for chance in chances]
        assert called == [adjusted <= 0.05 for adjusted in false_discovery_control(chances)]


@pytest.mark.parametrize("arms", [2, 5])
def test_few_reports_without_a_difference_have_a_word(arms: int) -> None:
    scenario, words, alone = Scenario(arms, 5, 0.05, metrics=9, primary=1, seed=3), 0, 0
    for experiment in scenario.experiments(COUNT):
        claims = exploratory(experiment, "m0")
        words += any(claim.verdict in DIFFER for claim in claims)
        alone += any(claim.low is not None and (claim.low > 1 or (claim.high or 1) < 1) for claim in claims)
    assert words / COUNT <= at_most(0.05)
    assert alone / COUNT > 0.2, "which by their own intervals would have one"


def test_small_true_differences_make_no_room_for_false_words() -> None:
    """Twenty quiet metrics within the margin, which are certainly different, and ten noisy ones that are not."""
    random, false = np.random.default_rng(2), 0
    for _ in range(COUNT):
        logs = random.standard_normal((31, 2, 5)) * np.r_[np.full(21, 0.001), np.full(10, 0.1)][:, None, None]
        logs[1:21, 1] += math.log(1.01)
        names = [f"m{number}" for number in range(31)]
        false += any(one.verdict in DIFFER for one in exploratory(Experiment(["a", "b"], names, np.exp(logs)), "m0"))
    assert false / COUNT <= at_most(0.05)


def test_a_difference_that_chance_may_explain_is_undecided_and_says_so() -> None:
    random = np.random.default_rng(4)
    logs = random.standard_normal((40, 2, 5)) * 0.05
    claims = exploratory(Experiment(["a", "b"], [f"m{number}" for number in range(40)], np.exp(logs)), "m0")
    outside = [one for one in claims if one.low is not None and (one.low > 1 or (one.high or 1) < 1)]
    assert outside
    assert {one.verdict for one in outside} == {"undecided"}
    assert {str(one.reason) for one in outside} == {"one of 39 exploratory comparisons may differ as much by chance"}
