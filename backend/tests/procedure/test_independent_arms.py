"""Arms of different runs, whose values form no pairs."""

import math
from collections.abc import Mapping

import numpy as np
import pytest
from ngxlab_verdict import Between, Claim, MetricRule, Question, Sides, judge_independent_arms
from scipy.stats import t, ttest_ind

from scripts.simulations.runs import TwoRuns

COUNT = 400
SLOW = [100.0, 104.0, 98.0, 101.0, 99.0]
FAST = [120.0, 125.0, 119.0, 121.0, 118.0, 122.0, 120.5]


QUIET = {"rate": Between(0.001, 20.0)}
"""Runs of the same thing hardly differ."""


def claims(question: Question | None = None, between: Mapping[str, Between] = QUIET, **arms: Sides) -> dict[str, Claim]:
    judged = judge_independent_arms({"rate": arms}, question or Question(primary=["rate"]), between)
    return {claim.arm: claim for claim in judged}


def test_the_interval_is_that_of_welch_with_fewer_degrees_of_freedom() -> None:
    claim = claims(fast=Sides(FAST, SLOW))["fast"]
    welch = ttest_ind(np.log(FAST), np.log(SLOW), equal_var=False).confidence_interval(0.95)
    assert claim.low is not None
    assert claim.high is not None
    assert claim.estimate == pytest.approx(math.exp(np.log(FAST).mean() - np.log(SLOW).mean()))
    assert math.exp(welch.low) * 0.99 < claim.low < math.exp(welch.low)
    assert math.exp(welch.high) < claim.high < math.exp(welch.high) * 1.01
    assert (claim.verdict, claim.trials, claim.pairs) == ("better", (7, 5), 5)


def test_arms_of_one_run_stay_paired() -> None:
    drifting = [100.0, 120.0, 140.0, 160.0, 180.0]
    faster = [value * 1.1 * noise for value, noise in zip(drifting, [1.0, 1.01, 0.99, 1.005, 0.995], strict=True)]
    paired, apart = claims(a=Sides(faster, drifting, paired=True))["a"], claims(a=Sides(faster, drifting))["a"]
    assert (paired.verdict, paired.trials, paired.pairs) == ("better", None, 5)
    assert (apart.verdict, apart.trials) == ("undecided", (5, 5))


def test_what_differs_from_run_to_run_is_in_the_interval() -> None:
    noisy = Between(0.08, 4.0)
    claim = claims(between={"rate": noisy}, a=Sides(FAST, SLOW))["a"]
    half = t.ppf(0.975, 4) * math.sqrt(2) * 0.08
    assert claim.low == pytest.approx((claim.estimate or 0) * math.exp(-half))
    assert claim.verdict == "undecided"


def test_runs_that_seem_to_scatter_little_keep_their_degrees_of_freedom() -> None:
    """Three runs may seem to scatter less than their trials do: the smaller error makes the wider interval."""
    few = Between(0.008, 2.0)
    claim = claims(between={"rate": few}, a=Sides(FAST, SLOW))["a"]
    half = t.ppf(0.975, 2) * math.sqrt(2) * 0.008
    assert math.sqrt(2) * 0.008 < math.hypot(np.log(FAST).std(ddof=1) / math.sqrt(7), np.log(SLOW).std(ddof=1) / 5**0.5)
    assert claim.low == pytest.approx((claim.estimate or 0) * math.exp(-half))


@pytest.mark.parametrize("between", [{}, {"rate": Between(0.001, 1.0)}, {"p99": Between(0.001, 9.0)}])
def test_one_run_each_claims_nothing(between: Mapping[str, Between]) -> None:
    claim = claims(between=between, a=Sides(FAST, SLOW))["a"]
    assert (claim.verdict, claim.low, claim.reason) == (
        "undecided", None, "one run each: how much runs of the same thing differ is known from three of them on"
    )  # fmt: skip
    assert claim.estimate is not None
    own = claims(between=between, a=Sides(FAST[:5], SLOW, paired=True))["a"]
    assert own.verdict == "better", "arms of one run are compared as ever"


def test_several_comparisons_have_wider_intervals_than_one() -> None:
    one = claims(a=Sides(FAST, SLOW))["a"]
    several = claims(a=Sides(FAST, SLOW), b=Sides(SLOW[::-1], SLOW), c=Sides([99, 103, 100, 98.5, 101.2], SLOW))["a"]
    assert one.low is not None
    assert several.low is not None
    assert several.low < one.low


@pytest.mark.parametrize(
    ("sides", "reason"),
    [
        (Sides([], SLOW), "this arm has no value"),
        (Sides(FAST, [math.nan]), "the baseline has no value"),
        (Sides([120.0], SLOW), "this arm has a single trial"),
        (Sides([0.0, 1.0, 2.0], SLOW), "this arm is not positive in at least one trial: no ratio"),
        (Sides([2.0, 2.0, 1.0], [1.0, 1.0, 2.0]), "the values are too coarse, or identical, for an interval"),
    ],
)
def test_without_an_interval_the_reason_is_said(sides: Sides, reason: str) -> None:
    claim = claims(a=sides)["a"]
    assert (claim.verdict, claim.low, claim.reason) == ("undecided", None, reason)


def test_exchanging_the_sides_exchanges_better_and_worse() -> None:
    question = Question(primary=["rate"], rules={"rate": MetricRule("less_is_better")})
    words = [claims(question, a=sides)["a"].verdict for sides in (Sides(FAST, SLOW), Sides(SLOW, FAST))]
    assert words == ["worse", "better"]


@pytest.mark.parametrize(
    "runs",
    [
        TwoRuns((0.02, 0.02), (5, 5), 3),
        TwoRuns((0.02, 0.02), (3, 10), 1),
        TwoRuns((0.10, 0.02), (2, 10), 1),
        TwoRuns((0.02, 0.10), (5, 5), 1),
        TwoRuns((0.02, 0.02), (5, 5), 1, between=0.02),
        TwoRuns((0.02, 0.02), (5, 5), 3, between=0.05),
    ],
    ids=str,
)
def test_two_runs_of_the_same_are_seldom_told_apart(runs: TwoRuns) -> None:
    """The limit allows 3.5 standard errors. The seed is fixed."""
    false, covered, _ = runs.shares(COUNT, np.random.default_rng(7))
    most = 0.05 + 3.5 * math.sqrt(0.05 * 0.95 / COUNT)
    assert false <= most
    assert 1 - covered <= most
