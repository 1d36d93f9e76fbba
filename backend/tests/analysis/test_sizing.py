"""What is said of goals that were not searched for: of systems whose capacity at each goal is known."""

import math
from collections.abc import Callable, Sequence

import pytest
from analysis import builders, curving, searching
from ngxlab.analysis.schemas import CheckSummary, SizedGoals, SizedRate, Sizing, TrialSummary
from ngxlab.analysis.sizing import Between, Step, between, derived, sizing_of
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.streams import CapacityGoal, StreamSpec
from ngxlab_contracts.telemetry import CapacityStep, CurveStep, Event

CHECKED = CheckSummary(passed=1, made=1, warnings=0, errors=0, unavailable=0, text="1 of 1 checks passed", results=[])
SERVED_PER_S = 10_000


def p99_us(per_s: float) -> float:
    """M/M/1: time in the system is exponential, with rate mu - lambda."""
    return math.log(100) / (SERVED_PER_S - per_s) * 1e6 if per_s < SERVED_PER_S else math.inf


def capacity(goal_ms: float) -> float:
    return SERVED_PER_S - math.log(100) / goal_ms * 1000


def tried(number: int, per_s: float, goal_ms: float = 5, failed: int = 0) -> CapacityStep:
    value_us = min(p99_us(per_s), 200_000)
    served = per_s if per_s < SERVED_PER_S else SERVED_PER_S - 200
    step = searching.step(number, per_s, "met" if value_us <= 1000 * goal_ms and not failed else "missed")
    told = {"p99_us": round(value_us), "p50_us": round(value_us / 7), "failed": failed, "achieved_per_s": served}
    return step.model_copy(update=told)


def trial(block: int, events: Sequence[Event], stream: StreamSpec | None = None) -> TrialSummary:
    made = summarise_trial(builders.trial(searching.record(events, stream)))
    return made.model_copy(update={"trial_id": builders.identity(f"b{block}"), "arm": "a", "block": block})


def searched(block: int, rates: Sequence[float], found: float | None = 9_079) -> TrialSummary:
    steps: list[Event] = [tried(number, rate) for number, rate in enumerate(rates, 1)]
    ended = searching.found(found, "found" if found is not None else "unfinished")
    return trial(block, [*steps, ended], searching.stream(CapacityGoal(p99_ms=5, errors_percent=0.1)))


RATES = [1_000, 2_000, 4_000, 8_000, 16_000, 9_400, 8_700, 9_000, 9_200, 8_300, 9_600]


def known(found: Sizing | None) -> SizedGoals:
    assert found is not None
    (one,) = found.percentiles
    return one


def at(one: SizedGoals, goal_ms: float) -> SizedRate:
    return one.arms[0].rates[one.goals_ms.index(goal_ms)]


def ends(rate: SizedRate) -> tuple[float, float]:
    assert rate.low is not None
    assert rate.high is not None
    return rate.low, rate.high


def test_goals_beside_that_of_the_search_are_derived_from_its_steps() -> None:
    trials = [searched(block, [rate + 20 * block for rate in RATES], 9_079 + 10 * block) for block in range(3)]
    found = sizing_of(["a"], trials, CHECKED)
    one = known(found)
    assert (one.percentile, one.searched_ms, str(one.besides)) == ("p99", 5, "errors ≤ 0.1 %")
    own = at(one, 5)
    assert (own.how, round(own.per_s or 0)) == ("searched", 9_089)
    assert max(one.goals_ms) == 5, "what missed the goal may have been an overload for a moment: no looser goal"
    for goal_ms in (3, 4):
        rate = at(one, goal_ms)
        assert rate.how == "derived"
        low, high = ends(rate)
        assert low <= capacity(goal_ms) <= high
        assert rate.per_s == pytest.approx(capacity(goal_ms), rel=0.02)


def test_what_was_not_tried_is_not_measured() -> None:
    """At 1,000/s and at 16,000/s nothing is known of goals beyond: no curve is drawn on."""
    one = known(sizing_of(["a"], [searched(1, RATES), searched(2, RATES)], CHECKED))
    assert min(one.goals_ms) >= p99_us(1_000) / 1000
    none = sizing_of(["a"], [searched(1, [9_000, 9_050], None), searched(2, [9_000, 9_050], None)], CHECKED)
    without = known(none)
    assert without.goals_ms == [5], "the goal that was searched for, with why there is no capacity"
    assert str(at(without, 5).why) == "the window ended before the search did"


def test_an_arm_is_measured_only_where_all_its_trials_reach() -> None:
    trials = [searched(1, RATES), searched(2, [rate for rate in RATES if rate >= 8_700])]
    one = known(sizing_of(["a"], trials, CHECKED))
    assert 2.5 not in one.goals_ms
    assert at(one, 4).how == "derived"
    some = derived([Between(1, 2, 1.5), Between(None, 2, None)])
    assert some.why == "in 1 of 2 trials no rates were tried that show it"
    apart = derived([Between(1_000, 1_100, 1_050), Between(9_000, 9_900, 9_500)])
    assert apart.per_s is None
    assert str(apart.why).startswith("by how trials differ, it may lie from ")
    assert derived([Between(None, 2, None)]).why == "no rate that was tried meets it, from 2/s on"
    assert derived([Between(3_000, None, None)]).why == "every rate that was tried meets it, up to 3,000/s"


def test_a_search_without_a_value_has_none_at_its_goal() -> None:
    trials = [searched(1, RATES), searched(2, RATES, None)]
    one = known(sizing_of(["a"], trials, CHECKED))
    assert at(one, 5).per_s is None


def test_errors_bound_every_goal() -> None:
    """Above 8,300/s requests fail, whatever the latency."""
    steps: list[Event] = [
        tried(number, rate, failed=500 if rate > 8_300 else 0) for number, rate in enumerate(RATES, 1)
    ]
    goal = CapacityGoal(p99_ms=5, errors_percent=0.1)
    trials = [trial(block, [*steps, searching.found(9_079)], searching.stream(goal)) for block in (1, 2)]
    one = known(sizing_of(["a"], trials, CHECKED))
    assert ends(at(one, 3)) == pytest.approx((8_300, 8_700))


def test_arms_that_were_searched_by_goals_of_their_own_have_no_common_sizing() -> None:
    other = trial(2, [tried(1, 1_000), searching.found(9_079)], searching.stream(CapacityGoal(p99_ms=50)))
    assert sizing_of(["a"], [searched(1, RATES), other], CHECKED) is None


@pytest.mark.parametrize("stalled", [2_000, 8_700])
def test_a_single_stall_decides_nothing(stalled: float) -> None:
    steps = [Step(rate, 9e5 if rate == stalled else p99_us(rate)) for rate in RATES]
    plain = between([Step(rate, p99_us(rate)) for rate in RATES], 8_000)
    assert between(steps, 8_000) == plain
    assert (plain.low, plain.high) == (9_400, 9_600)


def test_where_two_places_contradict_equally_the_capacity_lies_between_the_outer_ends() -> None:
    found = between([Step(1, 1), Step(2, 9), Step(3, 1), Step(4, 9)], 5)
    assert (found.low, found.high) == (1, 4)


def test_a_step_that_was_cut_short_shows_no_looser_goal() -> None:
    steps = [Step(1, 1), Step(2, 6, 0.5, shows_met=False), Step(3, 9)]
    assert (between(steps, 5).low, between(steps, 5).high) == (1, 2)
    assert (between(steps, 7).low, between(steps, 7).high) == (1, 3)


def test_a_late_generator_shows_no_bound_to_be_missed() -> None:
    steps = [Step(1, 1), Step(2, 6, shows_missed=False), Step(3, 9)]
    assert (between(steps, 5).low, between(steps, 5).high) == (1, 3)
    assert (between(steps, 7).low, between(steps, 7).high) == (2, 3)


def curved(block: int, of: Callable[[int, float], CurveStep]) -> TrialSummary:
    rates = [1_000.0 * number for number in range(5, 13)]
    steps: list[Event] = [of(number, rate) for number, rate in enumerate(rates, 1)]
    made = summarise_trial(builders.trial(curving.record(steps, curving.stream(rates))))
    return made.model_copy(update={"trial_id": builders.identity(f"c{block}"), "arm": "a", "block": block})


def test_a_curve_has_goals_up_to_its_knee() -> None:
    def step(number: int, rate: float) -> CurveStep:
        value_us = round(min(p99_us(rate), 60_000_000))
        made = curving.step(number, rate, most_per_s=9_900, p99_us=value_us)
        return made.model_copy(update={"failed": 0, "p50_us": value_us // 7, "cut_short": rate >= SERVED_PER_S})

    found = sizing_of(["a"], [curved(block, step) for block in (1, 2)], CHECKED)
    assert found is not None
    of = {one.percentile: one for one in found.percentiles}
    rate = at(of["p99"], 3)
    assert ends(rate) == pytest.approx((8_000, 9_000))
    assert 8_000 <= capacity(3) <= 9_000
    loose = at(of["p99"], of["p99"].goals_ms[-1])
    assert of["p99"].goals_ms[-1] == 5, "at 9,000/s the p99 is 4.6 ms: any looser goal says the same"
    assert ends(loose) == pytest.approx((9_000, 9_900))
    assert str(of["p99"].besides) == "errors ≤ 0.1 %"


def test_an_overload_that_serves_less_than_is_possible_contradicts_no_rate_that_was_served() -> None:
    """5,000 to 9,000/s are followed; above, nginx collapses to 3,000/s."""

    def step(number: int, rate: float) -> CurveStep:
        made = curving.step(number, rate, most_per_s=rate if rate <= 9_000 else 3_000, p99_us=2_000)
        return made.model_copy(update={"failed": 0, "p50_us": 1_000, "cut_short": rate > 9_000})

    found = sizing_of(["a"], [curved(block, step) for block in (1, 2)], CHECKED)
    assert found is not None
    of = {one.percentile: one for one in found.percentiles}
    assert ends(at(of["p99"], of["p99"].goals_ms[-1])) == pytest.approx((9_000, 10_000))


def test_runs_without_such_streams_have_none() -> None:
    plain = summarise_trial(builders.trial(searching.record([], searching.stream())))
    assert sizing_of(["b"], [plain], CHECKED) is None
