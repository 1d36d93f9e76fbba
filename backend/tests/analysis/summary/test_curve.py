"""What one trial's curve shows: which rates throughput followed, and where it stayed."""

import pytest
from analysis import builders, curving
from analysis.curving import RATES, step
from analysis.scenario import Scenario
from ngxlab.analysis.schemas import TrialCurve, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.telemetry import CurveStep


def summary(*steps: CurveStep) -> TrialSummary:
    return summarise_trial(builders.trial(curving.record(steps)))


def curve(*steps: CurveStep) -> TrialCurve:
    (found,) = summary(*steps).curves
    return found


def limited(most_per_s: float) -> list[CurveStep]:
    return [step(number, rate, most_per_s=most_per_s) for number, rate in enumerate(RATES, 1)]


def test_a_plateau_is_the_throughput_of_the_rates_that_were_not_followed() -> None:
    found = summary(*limited(800))
    (own,) = found.curves
    assert [rate.followed for rate in own.rates] == [True, True, False, False]
    assert own.plateau_per_s == found.metric_values["plateau_per_s"] == pytest.approx(800)
    assert (own.without_plateau, own.followed_all) == (None, False)
    assert [(rate.t_s, rate.seconds) for rate in own.rates] == [(0, 1), (1, 1), (2, 1), (3, 1)]


def test_longer_rates_weigh_more() -> None:
    long = step(2, 2000, most_per_s=700)
    long = long.model_copy(update={"t_us": long.begun_us + 3_000_000})
    assert curve(step(1, 1000, most_per_s=900), long).plateau_per_s == pytest.approx((900 + 3 * 700) / 4)


def test_a_rate_that_was_cut_short_was_not_followed() -> None:
    own = curve(*limited(1e9)[:3], step(4, 2000, cut_short=True))
    assert [rate.followed for rate in own.rates] == [True, True, True, False]
    assert own.plateau_per_s == pytest.approx(2000)


def test_without_a_plateau_it_is_said_why() -> None:
    followed = curve(*limited(1e9))
    assert str(followed.without_plateau) == "throughput followed every rate up to 2,000/s"
    assert followed.followed_all
    part = curve(*limited(1e9)[:2])
    assert str(part.without_plateau) == "only 2 of 4 rates count, and throughput followed them"
    assert not part.followed_all
    assert str(curve().without_plateau) == "no rate was tried at which the load generator was in time"


def test_what_the_generator_was_late_for_counts_for_nothing() -> None:
    own = curve(*limited(1e9)[:3], step(4, 2000, most_per_s=500, late=True))
    assert own.plateau_per_s is None
    assert not own.followed_all
    assert len(own.rates) == 4


def test_a_trial_without_a_curve_has_none() -> None:
    assert summarise_trial(builders.trial(Scenario().build())).curves == []
