"""Means of runs over time: change points, and the latest run. Limits allow 3.5 standard errors."""

import math

import numpy as np
import pytest
from ngxlab_verdict import Level, change_points, latest, levels_of, runs_resemble
from ngxlab_verdict.level_shifts import FEWEST_BEFORE, FEWEST_FOR_CHANGE
from scipy.stats import t, ttest_ind

from scripts.simulations.runs import Trend

COUNT = 400
LEVEL = 0.05
LOW = [1.0, 1.02, 0.99, 1.01, 0.98, 1.005]
HIGH = [1.2, 1.22, 1.19, 1.21, 1.205]


def at_most(share: float) -> float:
    return share + 3.5 * math.sqrt(share * (1 - share) / COUNT)


def test_a_change_is_found_where_it_is_with_an_interval_for_all_places() -> None:
    [found] = change_points(LOW + HIGH, LEVEL)
    assert (found.start, found.at, found.end) == (0, len(LOW), len(LOW) + len(HIGH))
    places = len(LOW + HIGH) - FEWEST_FOR_CHANGE + 1
    student = ttest_ind(HIGH, LOW).confidence_interval(1 - LEVEL / 2 / places)
    assert found.interval == pytest.approx((np.mean(HIGH) - np.mean(LOW), student.low, student.high))


def test_several_changes_are_found_in_their_order() -> None:
    assert [point.at for point in change_points([*LOW, *HIGH, *LOW], LEVEL)] == [6, 11]


def test_an_odd_latest_run_hides_no_change_before_it() -> None:
    [found] = change_points([*LOW, *HIGH, 0.7], LEVEL)
    assert (found.at, found.end) == (len(LOW), len(LOW) + len(HIGH))


@pytest.mark.parametrize(
    "means",
    [
        LOW,
        [*LOW[:3], *HIGH[:2]],  # fewer than three on a side
        [*LOW, 1.5, *LOW],  # one odd run is no other level
        [1.0] * 20,
        [1.0, 1.0, 1.0, 2.0, 2.0, 2.0],  # no scatter to judge by
        [],
    ],
)
def test_no_change_is_found(means: list[float]) -> None:
    assert change_points(means, LEVEL) == []


def test_the_latest_run_is_judged_by_how_runs_scatter() -> None:
    found = latest([*LOW, 1.2], LEVEL)
    assert found is not None
    half = t.ppf(1 - LEVEL / 2, len(LOW) - 1) * np.std(LOW, ddof=1) * math.sqrt(1 + 1 / len(LOW))
    estimate = 1.2 - np.mean(LOW)
    assert found.before == len(LOW)
    assert found.interval == pytest.approx((estimate, estimate - half, estimate + half))


def test_the_latest_run_is_compared_with_the_level_that_held_before_it() -> None:
    found = latest([*LOW, *HIGH, 1.2], LEVEL)
    assert found is not None
    assert found.before == len(HIGH)


@pytest.mark.parametrize("means", [LOW[:FEWEST_BEFORE], [1.0, 1.0, 1.0, 2.0], [1.0], []])
def test_too_few_runs_and_runs_without_scatter_say_nothing_of_the_latest(means: list[float]) -> None:
    assert latest(means, LEVEL) is None


@pytest.mark.parametrize("runs", [6, 20])
def test_where_nothing_changes_little_is_shown(runs: int) -> None:
    false_changes, false_latest, _ = Trend(runs, 4, 0.05).shares(COUNT, np.random.default_rng(5))
    assert false_changes <= at_most(0.05)
    assert false_latest <= at_most(0.05)


@pytest.mark.parametrize(("correlation", "most"), [(0.3, 0.19), (0.6, 0.13)])
def test_change_points_of_runs_that_drift_are_withheld(correlation: float, most: float) -> None:
    false_changes, *_ = Trend(20, 4, 0.02, correlation=correlation).shares(COUNT, np.random.default_rng(5))
    assert false_changes <= at_most(most)


def test_a_change_is_no_drift() -> None:
    [found] = change_points(LOW + HIGH, LEVEL)
    runs = range(len(LOW + HIGH))
    assert [level.means for level in levels_of(runs, LOW + HIGH, [found])] == [LOW, HIGH]
    assert not runs_resemble([levels_of(runs, LOW + HIGH, [found])])
    rising = [0.01 * run for run in runs]
    assert runs_resemble([levels_of(runs, rising, [])])


def test_lines_without_scatter_or_runs_show_no_drift() -> None:
    assert not runs_resemble([])
    assert not runs_resemble(
        [[], levels_of([], [], []), levels_of([1, 2, 3], [1.0, 1.0, 1.0], []), [Level([4], [2.0])]]
    )


def test_a_line_that_is_there_twice_tells_no_more_than_once() -> None:
    random = np.random.default_rng(5)
    for _ in range(20):
        line = [Level(range(12), list(random.standard_normal(12).cumsum()))]
        assert runs_resemble([line]) == runs_resemble([line, line, line])


def test_a_change_of_five_times_the_scatter_is_shown() -> None:
    assert Trend(20, 4, 0.02, step=1.1).shares(COUNT, np.random.default_rng(5))[2] > 0.95
    assert Trend(20, 4, 0.02, last=1.2).shares(COUNT, np.random.default_rng(5))[2] > 0.9


def test_a_history_that_is_looked_at_after_every_run_raises_about_one_false_alarm_a_year() -> None:
    """In 40 histories of 30 runs: the limit of 8 is that of 1.5 alarms in 365 runs, with 3.5 standard errors."""
    changed, differed, _ = Trend(30, 4, 0.02).histories(40, np.random.default_rng(6))
    assert isinstance(changed, float)
    assert 40 * (changed + differed) <= 8 + 3.5 * math.sqrt(8) / 2
