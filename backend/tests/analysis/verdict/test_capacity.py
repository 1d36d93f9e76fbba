"""What is said of arms by the capacities that their trials' searches found."""

from collections.abc import Mapping, Sequence

import pytest
from analysis import builders, searching
from analysis.run_results import analyse, metric_of, said
from ngxlab.analysis.gates import evaluate
from ngxlab.analysis.metrics import CAPACITY
from ngxlab.analysis.schemas import RunAnalysis, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.analysis.thresholds import parse
from ngxlab_contracts.streams import CapacityGoal, StreamSpec

NOISE = (1.004, 0.995, 1.001, 0.998, 1.003)
"""The noise of five blocks: half a percent."""
_BASELINE = 1_000


def trial(arm: str, block: int, result: float | str, of: StreamSpec | None = None) -> TrialSummary:
    """``result``: what was found, or how the search ended without."""
    end = searching.found(result) if isinstance(result, float) else searching.found(None, result)  # type: ignore[arg-type]
    made = summarise_trial(builders.trial(searching.record([searching.step(1, 100), end], of)))
    facts = {"trial_id": builders.identity(f"{arm}{block}"), "arm": arm, "block": block}
    return made.model_copy(update=facts)


def judged(by_arm: Mapping[str, Sequence[float | str]], of: Mapping[str, StreamSpec] | None = None) -> RunAnalysis:
    trials = [
        trial(arm, block, result, (of or {}).get(arm))
        for arm, results in by_arm.items()
        for block, result in enumerate(results, start=1)
    ]
    return analyse({arm: [None] * len(results) for arm, results in by_arm.items()}, trials)


def at(per_s: float) -> list[float | str]:
    """Arms of different capacities are disturbed differently."""
    noise = NOISE if per_s == _BASELINE else NOISE[::-1]
    return [per_s * one for one in noise]


def test_arms_of_1000_and_1100_are_told_apart_and_the_goal_is_said() -> None:
    analysis = judged({"on": at(1_000), "rp": at(1_100)})
    assert list(analysis.primary) == [CAPACITY]
    assert analysis.verdict == "decided"
    sentence = said(analysis, "rp", CAPACITY)
    assert sentence.verdict == "better"
    assert sentence.text.startswith(
        "Better: capacity at p99 ≤ 50 ms and errors ≤ 0.1 % is 10 % higher with `reuseport` than with `mutex on` ("
    )
    assert "n = 5 pairs" in sentence.text
    assert [answer.question for answer in analysis.answers] == ["Higher capacity?"]
    assert [answer.sign for answer in analysis.answers] == ["yes"]


def test_twins_are_not_told_apart() -> None:
    analysis = judged({"on": at(1_000), "rp": at(1_000)[::-1]})
    assert said(analysis, "rp", CAPACITY).verdict in {"equivalent", "undecided"}


def test_rate_and_latency_of_a_search_are_no_claims() -> None:
    analysis = judged({"on": at(1_000), "rp": at(1_100)})
    assert {one.family for one in analysis.sentences if one.metric != CAPACITY} == {"exploratory"}
    assert "requests/s than" not in analysis.headline


@pytest.mark.parametrize(
    ("ended", "why"),
    [
        ("every-rate", "every rate up to 20,000/s met the goal"),
        ("no-rate", "no rate from 100/s on met the goal"),
        ("generator", "the generator was at its limit before nginx was"),
    ],
)
def test_what_lies_beyond_the_allowed_rates_is_not_left_out(ended: str, why: str) -> None:
    """The three trials that found something are those that happened to lie within."""
    analysis = judged({"on": at(1_000), "rp": [*at(1_100)[:3], ended, ended]})
    found = metric_of(analysis, "rp", CAPACITY)
    assert found.comparison is None
    assert found.no_comparison_reason == f"{why} in 2 of 5 trials"
    assert why in analysis.headline


def test_a_search_that_time_cut_short_costs_its_trial_and_no_more() -> None:
    analysis = judged({"on": at(1_000), "rp": [*at(1_100)[:4], "unfinished"]})
    found = metric_of(analysis, "rp", CAPACITY)
    assert found.missing_reason == "the window ended before the search did in 1 of 5 trials"
    assert found.comparison is not None
    assert (found.comparison.pairs, found.comparison.verdict) == (4, "better")


def test_every_reason_is_counted_by_itself() -> None:
    analysis = judged({"on": at(1_000), "rp": [*at(1_100)[:2], "generator", "unfinished", "unfinished"]})
    assert metric_of(analysis, "rp", CAPACITY).no_comparison_reason == (
        "the generator was at its limit before nginx was in 1 of 5 trials, "
        "the window ended before the search did in 2 of 5 trials"
    )


def test_a_run_in_which_nothing_was_found_says_so() -> None:
    analysis = judged({"on": ["no-rate"] * 3, "rp": ["no-rate"] * 3})
    assert said(analysis, "rp", CAPACITY).text.startswith("No comparison: capacity at p99 ≤ 50 ms")
    assert "no rate from 100/s on met the goal in 3 of 3 trials" in said(analysis, "rp", CAPACITY).text


def test_different_goals_are_not_said_as_one() -> None:
    strict = searching.stream(CapacityGoal(p99_ms=20))
    analysis = judged({"on": at(1_000), "rp": at(1_100)}, {"rp": strict})
    assert said(analysis, "rp", CAPACITY).text.startswith("Better: capacity is 10 % higher")


@pytest.mark.parametrize(
    ("threshold", "results", "outcomes"),
    [
        ("capacity_per_s > 900", at(1_000), ["pass", "pass"]),
        ("capacity_per_s > 1050", at(1_000), ["fail", "pass"]),
        ("capacity_per_s ratio > 1.05", at(1_000), ["pass"]),
        ("capacity_per_s > 900", [*at(1_000)[:4], "every-rate"], ["undecided", "pass"]),
        ("capacity_per_s ratio > 1.05", [*at(1_000)[:4], "every-rate"], ["undecided"]),
    ],
)
def test_thresholds_on_the_capacity(threshold: str, results: list[float | str], outcomes: list[str]) -> None:
    by_arm = {"on": results, "rp": at(1_100)}
    trials = [trial(arm, block, one) for arm, all_ in by_arm.items() for block, one in enumerate(all_, start=1)]
    judgement = evaluate([parse(threshold)], judged(by_arm), trials)
    assert [one.outcome for one in judgement] == outcomes
