"""When the load became steady, and the window that is suggested for a run."""

import numpy as np
import pytest
from analysis import builders
from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.records.stream_spans import Span
from ngxlab.analysis.records.trial_record import rewindowed
from ngxlab.analysis.schemas import PlanFacts
from ngxlab.analysis.summary.course import transient
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.analysis.verdict.windows import suggested
from numpy.typing import NDArray

PLAN = PlanFacts(blocks=1, measure_s=10, warmup_s=2, trials_planned=1)


def _noise(size: int, seed: int) -> NDArray[np.float64]:
    return 1000 * (1 + 0.01 * np.random.default_rng(seed).standard_normal(size))


@pytest.mark.parametrize(("size", "slow"), [(30, 6), (100, 20), (100, 17)])
def test_the_slow_beginning_is_left_out(size: int, slow: int) -> None:
    for seed in range(50):
        rates = _noise(size, seed)
        assert transient(rates) == 0
        rates[:slow] *= 0.6
        assert slow <= transient(rates) < size / 2


def test_what_is_no_warm_up_is_left_in() -> None:
    late = _noise(30, 1)
    late[20:] *= 0.6  # a drop at the end: the steady state, if any, is not in the first half
    slight = _noise(30, 2)
    slight[:5] *= 0.97
    assert [transient(rates) for rates in (late, slight, np.zeros(30), _noise(5, 3))] == [0, 0, 0, 0]


def _trial(slow_s: int, name: str = "trial") -> TrialRecord:
    of = builders.spec(name=name)
    return builders.trial(
        builders.host(of, latency=builders.intervals(of, lambda t_s: [100] * (40 if t_s < slow_s else 100)))
    )


def test_a_window_is_suggested_where_most_trials_begin_with_a_transient() -> None:
    slow, slower, steady = (summarise_trial(_trial(seconds)) for seconds in (2, 3, 0))
    assert [trial.steady_from_s for trial in (slow, slower, steady)] == [2, 3, None]
    found = suggested([slow, slower, steady], PLAN)
    assert found is not None
    assert (found.window.start_s, found.window.end_s, found.trials) == (3, 10, 2)
    most = suggested([slow, slow, slower], PLAN)
    assert most is not None
    assert most.window.start_s == 2
    assert suggested([slow, steady], PLAN) is None
    assert suggested([], PLAN) is None


def test_a_chosen_window_is_summarised_as_if_it_had_been_planned() -> None:
    record = rewindowed(_trial(3), Span(3, 10))
    summary = summarise_trial(record)
    assert (summary.requests, summary.requests_per_s, summary.window_s) == (700, 100.0, 7.0)
    assert summary.steady_from_s is None
    in_warm_up = summarise_trial(rewindowed(_trial(3), Span(-2, 3)))
    assert (in_warm_up.requests, in_warm_up.window_s) == (200, 5.0)
