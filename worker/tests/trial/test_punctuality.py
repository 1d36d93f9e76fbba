"""A host that is late: its measured window is later, not shorter, which is noted."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from ngxlab_contracts.telemetry import Batch, Event
from ngxlab_contracts.trials import SamplingSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.trial.recorder import TOLERATED_US, Punctuality, Recorder
from ngxlab_worker.uplink.spool import Spool
from tests.support.fake_backend import FakeBackend
from tests.support.records import TrialRecord, now_us
from tests.support.specs import trial_spec
from tests.support.trials import assert_completed, when

LATE_US = 500_000


def run_late(agent: Agent, backend: FakeBackend, **timing: Any) -> TrialRecord:
    """A trial that learns its start only after it has passed."""
    record = backend.add(trial_spec(**timing), auto_start=False)

    def name_the_instant() -> None:
        with backend.changed:
            record.start_at_us = now_us() - LATE_US
            backend.changed.notify_all()

    thread = when(backend, lambda: record.ready, name_the_instant)
    agent.execute(record.spec.trial_id)
    thread.join()
    assert_completed(record)
    return record


@pytest.mark.parametrize("warmup_s", [0.0, 0.3])
def test_the_plan_of_a_late_trial_is_later_and_not_shorter(
    namespaced: Agent, backend: FakeBackend, warmup_s: float
) -> None:
    record = run_late(namespaced, backend, warmup_s=warmup_s, measure_s=1.0)
    began_us, begin_us, end_us = (record.phases[phase] for phase in ("warmup", "measure", "cooldown"))
    assert begin_us - began_us >= warmup_s * 1e6
    assert end_us - begin_us >= 1_000_000
    assert "late-start" in record.notes()
    measured = [i for i in record.intervals if begin_us <= i.t0_us < end_us]
    assert (measured[0].t0_us, measured[-1].t1_us) == (begin_us, end_us)


def test_a_trial_in_time_begins_its_window_at_the_agreed_instant(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(trial_spec(warmup_s=0.5, measure_s=0.5))
    namespaced.execute(record.spec.trial_id)
    assert_completed(record)
    assert record.start_at_us is not None
    late_us = record.phases["measure"] - (record.start_at_us - record.batches[-1].clock_offset_us + 500_000)
    assert late_us >= 0
    assert late_us <= TOLERATED_US or "late-start" in record.notes()


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path, uuid4())


def noted(spool: Spool, lateness_us: list[int]) -> list[str]:
    """Notes of a trial sampled each 100 ms whose readings were so late."""
    recorder = Recorder(spool, HostClock.anchored_now(), lambda: 0, lambda: None)
    punctuality = Punctuality(recorder, SamplingSpec(interval_ms=100))
    for late_us in lateness_us:
        if not punctuality.away(late_us):
            punctuality.reading(late_us)
    punctuality.close()
    recorder.flush()
    return [event.message for seq in spool.pending() for event in _events(spool, seq) if event.kind == "note"]


def _events(spool: Spool, seq: int) -> list[Event]:
    return Batch.model_validate_json(spool.read(seq)).events


def test_readings_in_time_are_not_spoken_of(spool: Spool) -> None:
    assert noted(spool, [0, 10_000, 50_000]) == []


def test_late_readings_are_counted(spool: Spool) -> None:
    assert noted(spool, [0, 50_001, 250_000]) == ["2 readings were late or skipped, by up to 250 ms"]
