"""Whole trials with streams in open loop: counted exactly, measured in all their processes, cleaned up at the end."""

from itertools import pairwise

import pytest
from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec
from ngxlab_worker.agent.agent import Agent
from tests.support.fake_backend import FakeBackend
from tests.support.records import TrialRecord
from tests.support.specs import trial_spec
from tests.support.streams import open_loop
from tests.support.trials import assert_completed, assert_nothing_left, nginx_total, result_of


def columns_of(record: TrialRecord, name: str) -> list[dict[str, str]]:
    """Labels of every series of that name."""
    layouts = [layout for batch in record.batches for layout in batch.layouts]
    return [dict(series.labels) for layout in layouts for series in layout.series if series.name == name]


def last_value(record: TrialRecord, name: str, **labels: str) -> float | None:
    found: float | None = None
    layouts = {layout.id: layout for batch in record.batches for layout in batch.layouts}
    for frame in (frame for batch in record.batches for frame in batch.frames):
        for series, value in zip(layouts[frame.layout].series, frame.values, strict=True):
            if series.name == name and labels.items() <= series.labels.items():
                found = value
    return found


def test_counts_agree_exactly_and_every_process_is_followed(agent: Agent, backend: FakeBackend) -> None:
    spec = trial_spec().model_copy(update={"streams": [open_loop(500, threads=2, connections=10)]})
    record = backend.add(spec)
    agent.execute(spec.trial_id)

    assert_completed(record)
    result = result_of(record)
    assert result.totals is not None
    totals = result.totals
    assert totals.completed == totals.sent == totals.intended == result.live_requests == result.stub_requests
    assert nginx_total(record) == totals.completed
    assert totals.completed == pytest.approx(500 * 1.6, rel=0.5)
    assert (totals.processes, totals.connects, totals.unfinished) == (2, 10, 0)
    generators = [event for event in record.events if event.kind == "process" and event.role == "generator"]
    assert [(event.index, event.stream) for event in generators] == [(0, "main"), (1, "main")]
    threads = columns_of(record, "ngxlab_thread_run_seconds_total")
    assert [labels["thread"] for labels in threads] == ["0", "1"]
    assert last_value(record, "ngxlab_stream_connections", stream="main") == 10
    assert 0 < (last_value(record, "ngxlab_stream_requests_completed_total", stream="main") or 0) <= totals.completed
    assert_nothing_left(agent)


def test_intervals_of_each_measure_tile_the_load(namespaced: Agent, backend: FakeBackend) -> None:
    spec = trial_spec(measure_s=2.2).model_copy(update={"streams": [open_loop(500)]})
    record = backend.add(spec)
    namespaced.execute(spec.trial_id)

    phases = record.phases
    for measure in ("latency", "service", "schedule"):
        intervals = [interval for interval in record.intervals if interval.quantity == measure]
        assert intervals[0].t0_us == phases["warmup"]
        assert all(earlier.t1_us == later.t0_us for earlier, later in pairwise(intervals))
        assert {phases["measure"], phases["cooldown"]} <= {interval.t0_us for interval in intervals}
        assert sum(interval.count for interval in intervals) == result_of(record).live_requests


def test_a_probe_beside_a_saturating_wrk(namespaced: Agent, backend: FakeBackend) -> None:
    plan = OpenLoopSpec(steps=[RateStep(per_s=50, duration_s=1)], arrivals="poisson", seed=3)
    probe = StreamSpec(key="probe", engine="open-loop", threads=1, connections=4, probe=True, open_loop=plan)
    spec = trial_spec(measure_s=1.6)
    spec = spec.model_copy(update={"streams": [*spec.streams, probe]})
    record = backend.add(spec)
    namespaced.execute(spec.trial_id)

    assert_completed(record)
    probed, loaded = result_of(record, "probe"), result_of(record, "main")
    assert probed.totals is not None
    assert loaded.printed is not None
    assert probed.totals.completed <= 400 < loaded.printed.requests
    assert nginx_total(record) == pytest.approx(probed.totals.completed + loaded.printed.requests, rel=0.02)
    cost = last_value(record, "ngxlab_process_run_seconds_total", role="generator", stream="probe")
    assert cost is not None
    assert cost > 0


def test_a_stream_that_begins_later_and_ends_earlier(namespaced: Agent, backend: FakeBackend) -> None:
    spec = trial_spec().model_copy(update={"streams": [open_loop(500, start_offset_s=0.5, duration_s=0.5)]})
    record = backend.add(spec)
    namespaced.execute(spec.trial_id)

    assert_completed(record)
    totals = result_of(record).totals
    assert totals is not None
    assert totals.completed == totals.intended
    assert last_value(record, "ngxlab_stream_connections", stream="main") == 0


def test_a_host_without_the_programs_says_so(
    namespaced: Agent, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr("ngxlab_worker.engines.native.program.sys.prefix", str(tmp_path))
    monkeypatch.setattr("ngxlab_worker.engines.native.program.shutil.which", lambda _: None)
    spec = trial_spec().model_copy(update={"streams": [open_loop(500)]})
    record = backend.add(spec)
    namespaced.execute(spec.trial_id)

    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "native-engines-missing")
    assert "make setup" in record.end.reason
    assert_nothing_left(namespaced)
