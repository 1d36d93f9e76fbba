"""What is kept of a search, and what of the rest of its trial still says something."""

import pytest
from analysis import builders, searching
from analysis.searching import found, record, step
from ngxlab.analysis.metrics import CAPACITY
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.summary.capacity import goal_text
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.streams import CapacityGoal
from ngxlab_contracts.telemetry import Event

TRIED = [step(1, 100), step(2, 2_000, "missed"), step(3, 1_000, "void"), step(4, 1_000)]


def summary(*events: Event) -> TrialSummary:
    return summarise_trial(builders.trial(record(events)))


def test_every_step_is_kept_in_order_and_once() -> None:
    (search,) = summary(*TRIED[::-1], TRIED[0], found(1_010)).searches
    assert [(one.number, one.t_s, one.seconds, one.per_s, one.result) for one in search.steps] == [
        (1, 0, 1, 100, "met"), (2, 1, 1, 2_000, "missed"), (3, 2, 1, 1_000, "void"), (4, 3, 1, 1_000, "met"),
    ]  # fmt: skip
    assert (search.steps[1].failed, search.steps[1].p99_us, search.steps[2].reason) == (
        200, 80_000, "the generator was late",
    )  # fmt: skip
    assert (search.from_per_s, search.to_per_s, search.ended) == (100, 20_000, "found")
    assert search.without_value is None
    assert search.low_per_s is not None
    assert search.high_per_s is not None
    assert search.low_per_s < 1_010 < search.high_per_s


def test_what_was_found_is_a_value_of_the_trial() -> None:
    assert summary(*TRIED, found(1_010)).metric_values[CAPACITY] == 1_010


@pytest.mark.parametrize("ended", ["every-rate", "no-rate", "generator", "unfinished"])
def test_another_end_gives_a_reason_and_no_value(ended: searching.Ended) -> None:
    made = summary(*TRIED, found(1_010, ended))
    assert CAPACITY not in made.metric_values
    assert made.searches[0].capacity_per_s is None
    assert made.searches[0].without_value is not None


def test_a_search_that_was_broken_off_keeps_its_steps() -> None:
    made = summary(*TRIED)
    (search,) = made.searches
    assert (len(search.steps), search.ended, search.without_value) == (4, None, "the search was broken off")
    assert CAPACITY not in made.metric_values


def test_a_load_that_searches_has_no_steady_state() -> None:
    made = summary(*TRIED, found(1_010))
    assert made.steady_from_s is None
    assert made.within_variance == {}


def test_a_goal_in_words() -> None:
    goal = CapacityGoal(p50_ms=1.5, p90_ms=3, p99_ms=50, p999_ms=200, errors_percent=0.1)
    assert goal_text(goal) == ("median ≤ 1.5 ms and p90 ≤ 3 ms and p99 ≤ 50 ms and p99.9 ≤ 200 ms and errors ≤ 0.1 %")


def test_the_bound_that_rates_near_the_capacity_missed_is_the_binding_one() -> None:
    near = [step(4, 1_020, "missed", ["p99_ms"]), step(5, 1_030, "missed", ["p99_ms", "errors_percent"])]
    near += [step(6, 1_015, "missed", ["p99_ms"]), step(7, 1_016, "missed", ["p99_ms"]), step(8, 1_040, "missed")]
    far = [step(2, 4_000, "missed", ["errors_percent"]), step(3, 2_000, "missed", ["errors_percent"])]
    (search,) = summary(step(1, 100), *far, *near, found(1_010)).searches
    assert search.binding == ["p99_ms"]
    assert str(search.binding_text) == "p99 ≤ 50 ms"
    (both,) = summary(step(1, 100), near[1], far[0], found(1_010)).searches
    assert str(both.binding_text) == "p99 ≤ 50 ms and errors ≤ 0.1 %"


def test_no_bound_is_binding_where_nothing_was_found_or_an_older_agent_did_not_say() -> None:
    said = step(2, 1_020, "missed", ["p99_ms"])
    for trial in (summary(*TRIED, found(1_010)), summary(step(1, 100), said, found(None, "unfinished"))):
        (search,) = trial.searches
        assert (search.binding, search.binding_text) == ([], None)
