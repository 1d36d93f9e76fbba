"""An arm's curve over its trials: means, bands and the knee."""

import numpy as np
import pytest
from analysis import builders, curving
from analysis.curving import RATES, step
from analysis.scenario import Scenario
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.analysis.verdict.curve import curve_of
from ngxlab.analysis.verdict.figures import figure


def trial(most_per_s: float = 1e9, **at_last: bool) -> TrialSummary:
    steps = [step(number, rate, most_per_s=most_per_s) for number, rate in enumerate(RATES[:-1], 1)]
    return summarise_trial(
        builders.trial(curving.record([*steps, step(len(RATES), RATES[-1], most_per_s=most_per_s, **at_last)]))
    )


def test_the_knee_is_the_plateau_with_an_interval_over_blocks() -> None:
    plateaus = [790.0, 800.0, 810.0]
    found = curve_of([trial(most) for most in plateaus])
    assert found is not None
    assert found.knee is not None
    middle, half = np.mean(np.log(plateaus)), 4.302653 * np.std(np.log(plateaus), ddof=1) / np.sqrt(3)
    expected = np.exp([middle, middle - half, middle + half])
    assert (found.knee.mean, found.knee.low, found.knee.high) == pytest.approx(tuple(expected))
    assert found.without_knee is None
    assert [(point.per_s, point.trials, point.followed) for point in found.points] == [
        (250, 3, 3), (500, 3, 3), (1000, 3, 0), (2000, 3, 0),
    ]  # fmt: skip


def test_latency_is_shown_where_throughput_followed_in_each_trial() -> None:
    found = curve_of([trial(1500), trial(800)])
    assert found is not None
    assert [point.p99_us is not None for point in found.points] == [True, True, False, False]
    assert found.points[0].p99_us is not None
    assert found.points[0].p99_us.mean == pytest.approx(4000)
    assert found.points[0].p999_us is None  # too few were served to know it
    assert found.points[3].errors_percent is not None
    assert found.points[3].errors_percent.mean == pytest.approx(100 * (1 - (1500 + 800) / 4000))


def test_without_a_knee_it_is_said_why() -> None:
    followed = curve_of([trial(), trial()])
    assert followed is not None
    assert (followed.knee, str(followed.without_knee)) == (None, "throughput followed every rate up to 2,000/s")
    mixed = curve_of([trial(), trial(1500)])
    assert mixed is not None
    assert mixed.knee is None
    assert str(mixed.without_knee).startswith("1 of 2 trials have no plateau")


def test_a_trial_whose_generator_was_late_is_left_out_at_that_rate() -> None:
    found = curve_of([trial(1500, late=True), trial(1500)])
    assert found is not None
    assert [(point.trials, point.late) for point in found.points] == [(2, 0), (2, 0), (2, 0), (1, 1)]


def test_where_throughput_followed_a_late_generator_only_takes_the_latency() -> None:
    found = curve_of([trial(late=True), trial()])
    assert found is not None
    last = found.points[-1]
    assert (last.trials, last.followed, last.late) == (2, 2, 1)
    assert last.p99_us is not None
    assert last.p99_us.low is None
    alone = curve_of([trial(late=True)])
    assert alone is not None
    assert (alone.points[-1].p99_us is not None, alone.points[-1].late) == (True, 1)


def test_trials_without_a_curve_have_none() -> None:
    assert curve_of([summarise_trial(builders.trial(Scenario().build()))]) is None
    assert curve_of([]) is None


def test_95_of_100_intervals_hold_the_truth() -> None:
    drawn = 1000 * np.exp(np.random.default_rng(28).normal(0, 0.02, (4000, 5)))
    held = [found.low <= 1000 <= found.high for row in drawn if (found := figure(list(row))).low and found.high]
    assert np.mean(held) == pytest.approx(0.95, abs=0.012)
    assert figure([3.0]).low is None
