"""Clocks that are wrong, or are set in the middle of a trial. The clocks are shifted where the agent reads them."""

import re
import time
from itertools import pairwise

import pytest
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.core.clock import Offset, monotonic_us
from tests.support.fake_backend import FakeBackend
from tests.support.records import START_LEAD_US, TrialRecord, now_us
from tests.support.specs import trial_spec
from tests.support.trials import assert_completed, assert_nothing_left, when

HOUR_US = 3_600_000_000
SKEW_US = 300_000_000


def start_by(backend: FakeBackend, record: TrialRecord, step_us: int) -> None:
    """The backend names the start by a clock that differs by ``step_us`` from ours."""
    record.auto_start = False

    def name_start() -> None:
        with backend.changed:
            record.start_at_us = now_us() + step_us + START_LEAD_US
            backend.changed.notify_all()

    when(backend, lambda: record.ready, name_start)


def assert_whole(record: TrialRecord) -> None:
    """The window has its length, and nothing lies between its intervals. A busy machine may be late, which is noted; a
    clock that is taken for another would be late by minutes."""
    assert_completed(record)
    late = [note.message for note in record.events if note.kind == "note" and note.code in {"late-start", "late-end"}]
    assert all(float(re.findall(r"([\d.]+) ms", message)[0]) < 30_000 for message in late), late
    window_us = record.phases["cooldown"] - record.phases["measure"]
    assert 1_150_000 <= window_us < (30_000_000 if late else 1_250_000)
    assert all(one.t1_us == next_one.t0_us for one, next_one in pairwise(record.intervals))


@pytest.mark.parametrize("skew_us", [SKEW_US, -SKEW_US, HOUR_US, -HOUR_US])
def test_a_host_whose_clock_is_wrong_measures_as_any_other(
    namespaced: Agent, backend: FakeBackend, skew_us: int
) -> None:
    namespaced.shared.set_offset(Offset(now_us() - monotonic_us() + skew_us, 0))
    record = backend.add(trial_spec())
    start_by(backend, record, skew_us)
    namespaced.execute(record.spec.trial_id)
    assert_whole(record)
    assert {batch.clock_offset_us // 1_000_000 for batch in record.batches} <= {
        skew_us // 1_000_000,
        skew_us // 1_000_000 - 1,
    }


@pytest.mark.parametrize("step_us", [HOUR_US, -HOUR_US])
def test_a_hosts_clock_that_is_set_during_a_trial_changes_nothing(
    namespaced: Agent, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch, step_us: int
) -> None:
    read = time.time_ns
    record = backend.add(trial_spec())

    def step() -> None:
        monkeypatch.setattr(time, "time_ns", lambda: read() + step_us * 1000)

    stepped = when(backend, lambda: "measure" in record.phases, step)
    namespaced.execute(record.spec.trial_id)
    stepped.join()
    assert_whole(record)


@pytest.mark.parametrize(("step_us", "said"), [(HOUR_US, "3,600 s ahead"), (-HOUR_US, "3,600 s ago")])
def test_a_backends_clock_that_is_set_before_the_start_is_named(
    namespaced: Agent, backend: FakeBackend, step_us: int, said: str
) -> None:
    """Neither waits an hour nor begins at once, which would tear a fleet apart; the trial is repeated."""
    record = backend.add(trial_spec())
    start_by(backend, record, step_us)
    namespaced.execute(record.spec.trial_id)
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "clock-stepped")
    assert f"{said}: the backend's clock was set meanwhile" in record.end.reason
    assert_nothing_left(namespaced)
