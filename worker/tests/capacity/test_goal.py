"""Steps with known requests, and whether they met their goal."""

import numpy as np
import pytest
from ngxlab_contracts.streams import CapacityGoal
from ngxlab_worker.capacity.goal import is_lost, judge, percentiles, quantile, requests_wanted, unmet
from ngxlab_worker.engines import Answered, Progress
from ngxlab_worker.engines.histogram import Counts


def counts(**requests: int) -> Counts:
    """``us_5=100``: 100 requests of 5 us."""
    return Counts(np.array([int(key[3:]) for key in requests]), np.array(list(requests.values())))


def answered(latency: Counts, failed: int = 0, lateness: Counts | None = None) -> Answered:
    return Answered(latency.total + failed, latency, Counts.empty() if lateness is None else lateness)


P99 = CapacityGoal(p99_ms=50)
ERRORS = CapacityGoal(errors_percent=0.1)


@pytest.mark.parametrize(
    ("goal", "found", "backlog", "result"),
    [
        (P99, answered(counts(us_1000=990, us_51000=10)), 0, "met"),
        (P99, answered(counts(us_1000=989, us_51000=11)), 0, "missed"),
        (P99, answered(counts(us_1000=989), failed=11), 0, "missed"),  # what failed never came
        (P99, answered(counts(us_1000=990), failed=10), 0, "met"),
        (CapacityGoal(p99_ms=50, errors_percent=5), answered(counts(us_1000=950), failed=50), 0, "met"),
        (CapacityGoal(p99_ms=50, errors_percent=5), answered(counts(us_1000=949), failed=51), 0, "missed"),
        (CapacityGoal(p50_ms=1, p99_ms=50), answered(counts(us_900=499, us_1100=501)), 0, "missed"),
        (ERRORS, answered(counts(us_1000=9990), failed=10), 0, "met"),
        (ERRORS, answered(counts(us_1000=9989), failed=11), 0, "missed"),
        (ERRORS, answered(counts(us_1000=9990), failed=10), 1, "missed"),  # they would have waited for ever
        (ERRORS, answered(counts(us_1000=99), failed=1), 0, "met"),  # a single one decides nothing
        (CapacityGoal(errors_percent=0), answered(counts(us_1000=99), failed=1), 0, "missed"),
        (P99, answered(Counts.empty()), 0, "void"),
        (P99, answered(Counts.empty(), failed=100), 0, "missed"),
    ],
)
def test_results(goal: CapacityGoal, found: Answered, backlog: int, result: str) -> None:
    assert judge(goal, found, backlog)[0] == result


def test_a_miss_that_the_generator_may_have_caused_is_void() -> None:
    slow = counts(us_1000=900, us_60000=100)
    assert judge(P99, answered(slow, lateness=counts(us_10=980, us_5000=20)), 0)[0] == "missed"
    assert judge(P99, answered(slow, lateness=counts(us_10=980, us_7000=20)), 0)[0] == "void"
    fast = counts(us_1000=1000)
    assert judge(P99, answered(fast, lateness=counts(us_10=900, us_40000=100)), 0)[0] == "met"  # all the same


def test_refusals_after_a_stall_of_the_generator_are_void() -> None:
    refused = answered(counts(us_1000=995), failed=5, lateness=counts(us_10=970, us_25000=30))
    assert judge(ERRORS, refused, 0)[0] == "void"
    many = answered(counts(us_1000=900), failed=100, lateness=counts(us_10=970, us_25000=30))
    assert judge(ERRORS, many, 0)[0] == "missed"


def test_a_step_says_when_its_requests_are_few() -> None:
    assert requests_wanted(P99) == 1000
    assert requests_wanted(CapacityGoal(p999_ms=1, p50_ms=1)) == 10_000
    assert judge(P99, answered(counts(us_10=100)), 0) == ("met", "only 100 requests: the goal needs some 1,000")


def test_what_can_no_longer_be_met_is_given_up() -> None:
    # 1,000/s for 5 s: 50 of 5,000 may be late. 50 in flight are younger than 50 ms, and 22 allow for their scatter.
    assert not is_lost(P99, 1000, 5, Progress(100, 0, 120, 0))
    assert is_lost(P99, 1000, 5, Progress(100, 0, 124, 0))
    assert not is_lost(ERRORS, 1000, 5, Progress(100, 5, 0, 0))
    assert is_lost(ERRORS, 1000, 5, Progress(100, 6, 0, 0))
    assert is_lost(ERRORS, 1000, 5, Progress(100, 0, 2000, 1001))


def test_percentiles_need_requests_beyond_them() -> None:
    thousand = counts(us_10=500, us_20=490, us_30=10)
    assert percentiles(thousand) == {"p50_us": 10, "p90_us": 20, "p99_us": 20, "p999_us": None}
    assert quantile(Counts.empty(), 0.5) is None


def test_all_bounds_that_a_step_missed_are_named() -> None:
    goal = CapacityGoal(p50_ms=1, p99_ms=50, errors_percent=1)
    assert unmet(goal, answered(counts(us_900=990, us_51000=10)), 0) == []
    assert unmet(goal, answered(counts(us_900=900, us_51000=100)), 0) == ["p99_ms"]
    assert unmet(goal, answered(counts(us_1100=900, us_51000=100), failed=20), 0) == [
        "p50_ms",
        "p99_ms",
        "errors_percent",
    ]
    assert unmet(ERRORS, answered(counts(us_1000=9990), failed=10), 1) == ["errors_percent"]
