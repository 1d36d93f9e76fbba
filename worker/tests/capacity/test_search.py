"""Searches of systems whose behaviour is a function: which rates are tried, and how the search ends."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ngxlab_contracts.streams import CapacityGoal, CapacitySpec
from ngxlab_worker.capacity.bounds import Result
from ngxlab_worker.capacity.search import Search, Step

GOAL = CapacityGoal(errors_percent=0.1)


def run(
    outcome: Callable[[int, Step], Result],
    from_per_s: float = 100,
    to_per_s: float = 10_000,
    window_s: float = 60,
    *,
    pause_s: float = 0,
    lot: str = "",
) -> Search:
    """``outcome``: of a step, by its number from 0. ``pause_s``: between two steps."""
    search = Search(CapacitySpec(goal=GOAL, from_per_s=from_per_s, to_per_s=to_per_s), window_s, lot)
    elapsed_s = 0.0
    while (step := search.next(elapsed_s)) is not None:
        assert from_per_s <= step.per_s <= to_per_s
        search.add(step, outcome(len(search.steps), step))
        elapsed_s += step.duration_s
        assert elapsed_s <= window_s + 1e-9
        elapsed_s += pause_s
    return search


def cliff(limit: float) -> Callable[[int, Step], Result]:
    return lambda number, step: "met" if step.per_s <= limit else "missed"


@given(st.floats(110, 9000))
@settings(max_examples=20, deadline=None)
def test_a_cliff_is_found_wherever_it_is(limit: float) -> None:
    search = run(cliff(limit))
    found = search.found()
    assert found.ended == "found"
    assert found.capacity_per_s == pytest.approx(limit, rel=0.01)
    assert found.low_per_s is not None
    assert found.high_per_s is not None
    assert found.low_per_s <= limit <= found.high_per_s
    assert (found.met_per_s or 0) <= limit < (found.missed_per_s or math.inf), "where enough steps were made there"
    assert max(step.per_s for step in search.steps) <= 2 * limit


def test_trials_find_a_cliff_by_steps_of_their_own() -> None:
    """Values that repeat in all blocks would be too coarse for a verdict on five of them."""
    found = [run(cliff(1000), lot=str(block)).found().capacity_per_s for block in range(10)]
    assert len(set(found)) == len(found)
    assert found == [pytest.approx(1000, rel=0.005)] * 10
    assert run(cliff(1000), lot="3").found().capacity_per_s == found[3]


@pytest.mark.parametrize("bad", range(14))
def test_one_bad_step_anywhere_does_not_mislead(bad: int) -> None:
    found = run(lambda number, step: "missed" if number == bad else cliff(1000)(number, step)).found()
    assert found.ended == "found"
    assert found.capacity_per_s == pytest.approx(1000, rel=0.03)


def test_a_search_that_knows_too_little_when_time_is_up_has_no_value() -> None:
    """What lies between two steps may take long: requests that are answered late."""
    found = run(cliff(1000), pause_s=7).found()
    assert found.ended == "unfinished"
    assert found.low_per_s is not None
    assert found.high_per_s is not None
    assert found.low_per_s <= 1000 <= found.high_per_s


def test_a_rate_that_passes_by_luck_does_not_mislead() -> None:
    lucky = run(lambda number, step: "met" if number == 6 else cliff(1000)(number, step)).found()
    assert lucky.capacity_per_s == pytest.approx(1000, rel=0.03)


def test_rates_that_all_meet_the_goal_or_all_miss_it() -> None:
    every, none = run(cliff(1e9)), run(cliff(1))
    assert (every.found().ended, every.found().met_per_s, every.found().capacity_per_s) == ("every-rate", 10_000, None)
    assert (none.found().ended, none.found().missed_per_s, none.found().capacity_per_s) == ("no-rate", 100, None)
    assert {step.per_s for step in none.steps} == {100}


def test_the_generator_at_its_limit() -> None:
    search = run(lambda number, step: "met" if step.per_s < 3000 else "void")
    found = search.found()
    assert (found.ended, found.missed_per_s, found.capacity_per_s) == ("generator", None, None)
    assert found.met_per_s == pytest.approx(3000, rel=0.05)


def test_void_steps_are_repeated() -> None:
    search = run(lambda number, step: "void" if number % 4 == 3 else cliff(1000)(number, step))
    assert search.found().capacity_per_s == pytest.approx(1000, rel=0.02)
    voids = [number for number, step in enumerate(search.steps[:-1]) if step.result == "void"]
    assert voids
    assert all(search.steps[number + 1].per_s == search.steps[number].per_s for number in voids)


def test_a_window_that_is_too_short_says_so() -> None:
    short = run(cliff(1000), window_s=2)
    assert short.found().ended == "unfinished"
    assert short.found().capacity_per_s is None


def test_steps_are_long_enough_for_their_goal() -> None:
    p99 = Search(CapacitySpec(goal=CapacityGoal(p99_ms=50), from_per_s=800, to_per_s=10_000), 60)
    first = p99.next(0)
    assert first is not None
    assert first.per_s * first.duration_s == pytest.approx(1000)
