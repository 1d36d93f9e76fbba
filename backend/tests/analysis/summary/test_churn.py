"""What a churn did, from records whose answer is known."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from analysis import builders
from analysis.builders import T0_US, intervals
from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.summary.churn import metric_values
from ngxlab_contracts.telemetry import ActionEvent

USUAL, HELD_UP = [100_000] * 100, [100_000] * 90 + [400_000] * 10
WARMUP_S = 2


def action(number: int, t_s: float, took_s: float = 0.05, **changes: Any) -> ActionEvent:
    begin = T0_US + round((WARMUP_S + t_s) * 1e6)
    event = ActionEvent(
        t_us=begin,
        ended_us=begin + round(took_s * 1e6),
        perturbation="churn",
        number=number,
        action="churn",
        ok=True,
        status=200,
    )
    return event.model_copy(update=changes)


def churned(
    samples: Callable[[int], Sequence[int]], actions: Sequence[ActionEvent], measure_s: float = 12
) -> TrialRecord:
    of = builders.spec(warmup_s=WARMUP_S, measure_s=measure_s)
    return builders.trial(builders.host(of, latency=intervals(of, samples), extra=actions))


CALLS = [action(number, 2.2 + number) for number in range(1, 5)]
"""From 3.2 s to 6.25 s."""


def test_before_during_and_after_are_told_apart() -> None:
    found = metric_values(churned(lambda t: HELD_UP if 3 <= t <= 7 else USUAL, CALLS))
    assert found["churn_p99_before_us"] == pytest.approx(100_000, rel=0.001)
    assert found["churn_p99_during_us"] == pytest.approx(400_000, rel=0.001)
    assert found["churn_p50_during_us"] == pytest.approx(100_000, rel=0.001)
    assert found["churn_p99_typical_us"] == pytest.approx(400_000, rel=0.001)
    # The second that begins at 7 s is the last one in trouble: 8 - 6.25 s after the last call's end.
    assert found["churn_recovery_s"] == pytest.approx(1.75)
    assert found["churn_recovered"] == 1
    # Seconds 3 to 7: five of 300 ms more.
    assert found["churn_excess_latency_ms_s"] == pytest.approx(1500, rel=0.01)


def test_who_was_never_in_trouble_recovers_at_once() -> None:
    found = metric_values(churned(lambda _: USUAL, CALLS))
    assert (found["churn_recovery_s"], found["churn_excess_latency_ms_s"]) == (0, 0)


def test_what_is_usual_is_what_seconds_before_the_churn_show() -> None:
    """Seconds at twice the usual p99 are trouble where all seconds before were alike, and usual where some were not."""
    twice = [2 * us for us in USUAL]
    steady = metric_values(churned(lambda t: HELD_UP if 3 <= t <= 7 else twice if t > 7 else USUAL, CALLS))
    assert (steady["churn_recovered"], steady["churn_recovery_s"]) == (0, None)
    wavering = metric_values(churned(lambda t: HELD_UP if 3 <= t <= 7 else twice if t > 7 or t == 1 else USUAL, CALLS))
    assert wavering["churn_recovery_s"] == pytest.approx(1.75)


def test_a_second_out_of_the_ordinary_long_after_is_chance() -> None:
    found = metric_values(churned(lambda t: HELD_UP if 3 <= t <= 7 or t == 11 else USUAL, CALLS))
    assert found["churn_recovered"] == 1
    assert found["churn_recovery_s"] == pytest.approx(1.75)


def test_a_window_may_end_before_the_recovery() -> None:
    found = metric_values(churned(lambda t: HELD_UP if t >= 3 else USUAL, CALLS))
    assert found["churn_recovered"] == 0
    assert found["churn_recovery_s"] is None


def test_a_second_in_which_nothing_came_back_is_trouble() -> None:
    found = metric_values(churned(lambda t: [] if t == 7 else USUAL, CALLS))
    assert found["churn_recovery_s"] == pytest.approx(1.75)


def test_seconds_without_a_response_count_for_the_requests_that_were_due_in_them() -> None:
    stalled = metric_values(churned(lambda t: [] if 3 <= t < 8 else USUAL, CALLS))
    # Due at 3.5 s, 4.5 s … 7.5 s, and answered at 8 s at the earliest: 4.5 + 3.5 + 2.5 + 1.5 + 0.5 s, less five usual.
    assert stalled["churn_excess_latency_ms_s"] == pytest.approx(12_500 - 5 * 100, rel=0.01)
    never = metric_values(churned(lambda t: [] if t >= 3 else USUAL, CALLS))
    assert never["churn_excess_latency_ms_s"] == pytest.approx(40_500 - 9 * 100, rel=0.01)


def test_calls_are_counted_by_what_became_of_them() -> None:
    skipped = action(5, 7.2, 0, ok=False, skipped=True, status=None)
    refused = action(6, 8.2, 0.25, ok=False, status=409)
    found = metric_values(churned(lambda _: USUAL, [*CALLS, skipped, refused]))
    assert [found[f"churn_calls{which}"] for which in ("", "_failed", "_skipped")] == [6, 1, 1]
    assert found["churn_call_us"] == pytest.approx((4 * 50_000 + 250_000) / 5)
    assert found["churn_call_least_us"] == pytest.approx(50_000)


def test_clocks_of_hosts_are_brought_together() -> None:
    """The generator's clock is 100 s behind: its intervals lie where they belong all the same."""
    target = builders.spec(warmup_s=WARMUP_S, measure_s=12, streams=[])
    generator = builders.spec(warmup_s=WARMUP_S, measure_s=12, target=False, host_name="generator")
    shift = -100_000_000
    late = [one.model_copy(update={"t0_us": one.t0_us + shift, "t1_us": one.t1_us + shift})
            for one in intervals(generator, lambda t: HELD_UP if 3 <= t <= 7 else USUAL)]  # fmt: skip
    events = [event.model_copy(update={"t_us": event.t_us + shift}) for event in builders.phases(generator)]
    record = builders.trial(
        builders.host(target, extra=CALLS),
        builders.host(generator, latency=late, events=events, clock_offset_us=-shift),
    )
    assert metric_values(record)["churn_recovery_s"] == pytest.approx(1.75)


def test_without_a_churn_there_is_nothing_to_say() -> None:
    assert metric_values(churned(lambda _: USUAL, [])) == {}
    assert metric_values(churned(lambda _: USUAL, [action(1, 3, action="sync")])) == {}
