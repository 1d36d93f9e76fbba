"""Power against scipy's noncentral t, and against experiments that are simulated and judged."""

import math
from dataclasses import replace

import numpy as np
import pytest
from ngxlab_verdict import Course, Experiment, Question, judge
from ngxlab_verdict.families import own_shares
from ngxlab_verdict.learned import Scatter
from ngxlab_verdict.power import MAX_BLOCKS, MoreBlocks, Plan, more_blocks
from scipy.stats import nct, t

from scripts.simulations.decided import continued, decided_pair
from scripts.simulations.scenario import Scenario

KNOWN = 1e9
"""Degrees of freedom of a scatter that is known."""
MARGIN = math.log(1.02)


@pytest.mark.parametrize(("deviation", "effect", "blocks"), [(0.02, 0.03, 5), (0.05, 0.1, 5), (0.01, 0.01, 12)])
def test_without_a_margin_it_is_the_noncentral_t(deviation: float, effect: float, blocks: int) -> None:
    critical = t.ppf(0.975, blocks - 1)
    expected = nct.sf(critical, blocks - 1, effect / (deviation * math.sqrt(2 / blocks)))
    found = Plan(arms=2, level=0.05, margin=0.0).power(Scatter(deviation, KNOWN), effect, blocks)
    assert found == pytest.approx(expected, abs=0.01)


def test_the_effect_that_a_plan_finds_is_found_in_four_of_five_experiments() -> None:
    effect = Plan(arms=2, level=0.05, margin=MARGIN).smallest_effect(Scatter(0.02, KNOWN), 5)
    assert effect is not None
    ratio = math.exp(effect)
    scenario = Scenario(2, 5, 0.02, metrics=1, primary=1, effects={(1, 0): ratio}, seed=5)
    verdicts = [judge(experiment, scenario.question)[0].verdict for experiment in scenario.experiments(1500)]
    assert verdicts.count("better") / 1500 == pytest.approx(0.8, abs=3.5 * math.sqrt(0.16 / 1500) + 0.005)


def test_a_scatter_known_from_few_values_finds_less() -> None:
    plan = Plan(arms=2, level=0.05, margin=MARGIN)
    certain, uncertain = (plan.smallest_effect(Scatter(0.05, degrees), 5) for degrees in (KNOWN, 4.0))
    assert certain is not None
    assert uncertain is not None
    assert uncertain > 1.1 * certain


def test_recommended_blocks_are_the_fewest_that_find_the_effect() -> None:
    plan, scatter, wanted = Plan(arms=3, level=0.05, margin=MARGIN), Scatter(0.05, 8.0), math.log(1.1)
    blocks = plan.blocks_for(scatter, wanted)
    assert blocks is not None
    assert plan.power(scatter, wanted, blocks) >= 0.8 > plan.power(scatter, wanted, blocks - 1)
    assert plan.blocks_for(scatter, MARGIN) is None, "no number of blocks shows an effect within the margin"
    assert plan.smallest_effect(scatter, 1) is None, "one block has no interval"


def test_a_decided_claim_needs_no_more_blocks_and_an_undecided_one_fewer_with_less_noise() -> None:
    def claim(noise: float, effect: float = 1.0) -> MoreBlocks | None:
        base, other = np.array([100, 101, 99, 100, 100.0]), np.array([101, 99, 100.5, 100, 101.0])
        values = np.array([[base, effect * 100 * (other / 100) ** noise]])
        return more_blocks(judge(Experiment(["a", "b"], ["m"], values), Question(["m"]))[0], MARGIN)

    quiet, loud = claim(2), claim(6)
    assert quiet is not None
    assert loud is not None
    assert 1 <= quiet.for_none < loud.for_none < MAX_BLOCKS
    assert quiet.to_decide is None, "the estimate lies within the margin"
    assert claim(0.1) is None, "equivalent"
    larger, huge = claim(6, 1.03), claim(6, 1.045)
    assert larger is not None
    assert huge is not None
    assert larger.to_decide is not None
    assert huge.to_decide is not None
    assert huge.to_decide < larger.to_decide < larger.for_none, "an effect is seen sooner than that there is none"


def test_exploratory_comparisons_ask_for_no_more_blocks() -> None:
    values = np.array([[[100, 101, 99, 100, 100.0], [106, 97, 109, 100, 103.0]]])
    (claim,) = judge(Experiment(["a", "b"], ["m"], values), Question([]))
    assert (claim.verdict, more_blocks(claim, MARGIN)) == ("undecided", None)


@pytest.mark.parametrize(("ratio", "count"), [(1.0, 60), (1.05, 250)])
def test_after_so_many_more_blocks_four_of_five_are_decided(ratio: float, count: int) -> None:
    outcome = continued(Scenario(2, 5, 0.02, metrics=1, primary=1, effects={(1, 0): ratio}, seed=11), count)
    assert outcome.asked > 30
    assert outcome.decided / outcome.asked >= 0.8 - 3.5 * math.sqrt(0.16 / outcome.asked)


@pytest.mark.parametrize(("noise", "effect"), [(0.005, 1.0), (0.02, 1.03), (0.05, 1.05)])
def test_the_short_form_for_two_arms_decides_as_the_procedure_does(noise: float, effect: float) -> None:
    scenario, course = (
        Scenario(2, 9, noise, metrics=1, primary=1, effects={(1, 0): effect}, seed=5),
        Course(6, added=(9,)),
    )
    first, last = course.stages(9)
    question = replace(scenario.question, spent=last.spent, earlier=[first])
    for experiment in scenario.experiments(100):
        (claim,) = judge(experiment, question)
        assert decided_pair(experiment, course) == (claim.verdict != "undecided")


@pytest.mark.parametrize(("blocks", "count"), [(3, 150), (10, 120)])
def test_where_nothing_differs_the_further_blocks_decide_as_often_as_they_promise(blocks: int, count: int) -> None:
    """At 5 % noise, whose size three blocks hardly show: most ask for hundreds of pairs, and none is left out."""
    outcome = continued(Scenario(2, blocks, 0.05, metrics=1, primary=1, seed=31), count)
    assert outcome.too_many == 0
    assert outcome.decided / outcome.asked >= 0.8 - 2 * math.sqrt(0.16 / outcome.asked)
    assert sum(more > 150 for more in outcome.more) / outcome.asked > 0.3


@pytest.mark.parametrize(("arms", "blocks"), [(2, 5), (5, 5), (2, 10)])
def test_a_plan_promises_of_each_metric_what_comes_true(arms: int, blocks: int) -> None:
    """It holds for the second metric too, while the first is undecided. Within 5 points and 3 standard errors."""
    count, effects = 500, {(1, 1): 1.3}
    own = own_shares(2, ordered=True)
    scenario = Scenario(arms, blocks, 0.10, metrics=2, primary=2, effects=effects, seed=9)
    found = sum(
        claim.verdict == "better"
        for experiment in scenario.experiments(count)
        for claim in judge(experiment, scenario.question)
        if (claim.arm, claim.metric) == ("a1", "m1")
    )
    promised = Plan(arms, own[1], MARGIN).power(Scatter(0.10, KNOWN), math.log(1.3), blocks)
    assert found / count == pytest.approx(promised, abs=0.05 + 3 * math.sqrt(0.25 / count))
