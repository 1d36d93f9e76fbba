"""The scatter of small experiments, learned from earlier ones: what is learned, what it gains, and what it may cost."""

import math

import numpy as np
import pytest
from ngxlab_verdict import Experiment, MetricRule, Question, Scatter, judge, learn
from ngxlab_verdict.learned import ENOUGH, joined

from scripts.simulations.learned import NOISE, shares
from scripts.simulations.scenario import Scenario


def seen(among: float, runs: int, degrees: int, seed: int = 1) -> Scatter | None:
    """What is learned of runs whose true scatter differs as a log-normal of ``among``."""
    random = np.random.default_rng(seed)
    true = 0.02 * np.exp(among * random.standard_normal(runs))
    return learn([Scatter(one, degrees) for one in true * np.sqrt(random.chisquare(degrees, runs) / degrees)])


def test_runs_that_agree_count_for_more_than_runs_that_differ() -> None:
    agreeing, differing, few = seen(0, 40, 8), seen(0.7, 40, 8), seen(0, 2, 8)
    assert agreeing is not None
    assert differing is not None
    assert few is not None
    assert agreeing == pytest.approx(Scatter(0.02, ENOUGH), rel=0.1)
    assert differing.degrees < 3, "their scatter says little of the next run's"
    assert 2 < few.degrees < 5, "two runs hardly show whether runs agree"


def test_nothing_is_learned_of_runs_that_show_no_scatter() -> None:
    assert learn([]) is None
    assert learn([Scatter(0.0, 8), Scatter(0.01, 0)]) is None


def test_an_experiment_of_many_degrees_is_judged_as_if_nothing_had_been_learned() -> None:
    (one,) = Scenario(2, 9, 0.02, metrics=1, primary=1).experiments(1)
    alone, known = (
        judge(one, Question(["m0"], {"m0": MetricRule(learned=learned)})) for learned in (None, Scatter(0.001, ENOUGH))
    )
    assert alone == known


def test_a_scatter_that_contradicts_what_was_learned_speaks_for_itself() -> None:
    learned = Scatter(0.02, ENOUGH)
    same, larger, smaller = (joined(2 * deviation**2, 2, learned) for deviation in (0.02, 0.2, 0.0001))
    assert same.degrees == pytest.approx(2 + ENOUGH)
    assert larger == pytest.approx(Scatter(0.2, 2), rel=1e-3)
    assert smaller.degrees < 2.1


@pytest.mark.parametrize(
    ("ratio", "blocks", "false", "found"),
    [(1.0, 3, 0.03, 0.86), (math.sqrt(2), 3, 0.065, 0.65), (math.sqrt(0.5), 3, 0.02, 0.96), (1.0, 5, 0.04, 0.98)],
)
def test_small_runs_find_more_and_claim_no_more_falsely(ratio: float, blocks: int, false: float, found: float) -> None:
    """``ratio``: of the true scatter to that of the earlier runs. Bounds are three standard errors from the truth."""
    wrong, better, alone = shares(Scenario(2, blocks, NOISE * ratio, 1, 1), 1000, 20)
    assert wrong <= false
    assert better >= found
    assert better > alone


def test_three_arms_learn_too_as_long_as_their_blocks_are_few() -> None:
    values = 1000 * np.exp(0.02 * np.random.default_rng(4).standard_normal((1, 3, 3)))
    learned = {"m": MetricRule(learned=Scatter(0.02, ENOUGH))}
    alone, known = (judge(Experiment("abc", ["m"], values), Question(["m"], rules)) for rules in ({}, learned))
    assert [one.estimate for one in alone] == [one.estimate for one in known]
    shown = [[one.evidence and one.evidence[:2] for one in claims] for claims in (alone, known)]
    assert shown[0] == shown[1], "what its own blocks show is the same"
    widths = [
        [one.high - one.low for one in claims if one.high is not None and one.low is not None]
        for claims in (alone, known)
    ]
    assert len(widths[0]) == len(alone)
    assert all(two < 0.8 * one for one, two in zip(*widths, strict=True))
