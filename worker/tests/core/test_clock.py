"""NTP-style offsets, and the memory that shares them between processes."""

import os
import time
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab_contracts.hosts import HeartbeatReply
from ngxlab_worker.agent.shared_state import SharedState
from ngxlab_worker.core.clock import HostClock, Offset, OffsetEstimator, aligned_rest_s, exchange


@given(st.integers(-(10**15), 10**15), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**5))
def test_the_error_is_at_most_half_the_round_trip(true_offset: int, there: int, back: int, busy: int) -> None:
    sent = 1_000_000
    received = sent + there + true_offset
    reply = HeartbeatReply(received_at_us=received, sent_at_us=received + busy)
    found = exchange(sent, reply, sent + there + busy + back)
    assert found.rtt_us == there + back
    assert abs(found.backend_minus_monotonic_us - true_offset) <= (there + back) // 2 + 1


def test_the_shortest_round_trip_counts() -> None:
    estimator = OffsetEstimator()
    estimator.add(Offset(100, 50))
    assert estimator.add(Offset(900, 5000)) == Offset(100, 50)
    assert estimator.add(Offset(90, 10)) == Offset(90, 10)


@pytest.mark.parametrize("step_us", [3_600_000_000, -3_600_000_000, 300_000_000, -100_000])
def test_a_step_of_the_backends_clock_is_followed_at_once(step_us: int) -> None:
    estimator = OffsetEstimator()
    for number in range(32):
        estimator.add(Offset(100, 50 + number))
    assert estimator.add(Offset(100 + step_us, 900)) == Offset(100 + step_us, 900)


def test_a_slow_exchange_is_no_step() -> None:
    """Its true offset lies within half its round trip, so it contradicts nobody."""
    estimator = OffsetEstimator()
    estimator.add(Offset(100, 50))
    assert estimator.add(Offset(100 + 5_000_000, 10_000_000)) == Offset(100, 50)


def test_an_offset_against_a_clock() -> None:
    assert Offset(1_000, 0).against(HostClock(wall_minus_monotonic_us=400)) == 600


def test_a_forked_process_shares_the_state() -> None:
    state, trial_id = SharedState(), uuid4()
    assert (state.offset(), state.active_trial(), state.stopping()) == (None, None, False)
    child = os.fork()
    if child == 0:
        state.set_offset(Offset(-5, 7))
        state.set_active_trial(trial_id)
        state.stop()
        os._exit(0)
    os.waitpid(child, 0)
    assert (state.offset(), state.active_trial(), state.stopping()) == (Offset(-5, 7), trial_id, True)
    state.set_active_trial(None)
    assert state.active_trial() is None


@pytest.mark.parametrize("now", [0.0, 0.3, 7.0, 11.9999, 12.0001, 123456.789])
@pytest.mark.parametrize("rest_s", [2.0, 4.0])
def test_rests_end_at_moments_that_all_of_a_machine_share(
    monkeypatch: pytest.MonkeyPatch, now: float, rest_s: float
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: now)
    left_s = aligned_rest_s(rest_s)
    assert 0.01 < left_s <= rest_s + 0.01, "never twice at once, where a rest has ended a little too early"
    rounds = (now + left_s) / rest_s
    assert rounds == pytest.approx(round(rounds), abs=1e-6)
