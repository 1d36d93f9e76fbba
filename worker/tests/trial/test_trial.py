"""Whole trials with a real nginx and a real wrk; only the backend is a fake."""

import time
from itertools import pairwise

import pytest
from hdrh.histogram import HdrHistogram
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.agent.caretaker import Caretaker
from ngxlab_worker.engines.histogram import Counts
from ngxlab_worker.engines.wrk.memory import MemoryUnreadableError, WrkMemory
from ngxlab_worker.uplink.api_client import AgentClient
from tests.support.fake_backend import FakeBackend
from tests.support.specs import CONFIG, NGINX, trial_spec
from tests.support.trials import artefacts, assert_nothing_left, nginx_total, requests_of, result_of, when


@pytest.mark.parametrize("keep_alive", [True, False])
def test_three_counts_of_the_requests_agree(agent: Agent, backend: FakeBackend, keep_alive: bool) -> None:
    record = backend.add(trial_spec(stream={"keep_alive": keep_alive}, measure_s=1.6))
    agent.execute(record.spec.trial_id)

    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("completed", "ok"), record.end.reason
    result = result_of(record)
    assert result.printed is not None
    assert result.stub_requests is not None
    assert result.printed.requests > 1000
    assert requests_of(record) == pytest.approx(result.printed.requests, rel=0.01)
    assert result.stub_requests == pytest.approx(result.printed.requests, rel=0.01)
    # nginx may still answer, for each connection, the request that was under way when wrk's end was counted.
    under_way = sum(stream.connections for stream in record.spec.streams)
    assert result.stub_requests <= nginx_total(record) <= result.stub_requests + under_way
    assert_nothing_left(agent)
    assert list(agent.settings.spool_root.iterdir()) == []


def test_histograms_tile_the_load_and_meet_the_edges_of_the_window(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(trial_spec(warmup_s=0.5, measure_s=2.5))
    namespaced.execute(record.spec.trial_id)

    intervals, phases = record.intervals, record.phases
    assert intervals[0].t0_us == phases["warmup"]
    for earlier, later in pairwise(intervals):
        assert earlier.t1_us == later.t0_us
    edges = {interval.t0_us for interval in intervals}
    assert {phases["measure"], phases["cooldown"]} <= edges
    measured = [i for i in intervals if phases["measure"] <= i.t0_us < phases["cooldown"]]
    assert len(measured) == 3
    for interval in measured:
        assert interval.histogram is not None
        assert HdrHistogram.decode(interval.histogram).get_total_count() == interval.count
    assert sum(interval.count for interval in intervals) == result_of(record).live_requests


def test_the_load_begins_at_the_agreed_instant_and_frames_meet_the_edges(
    namespaced: Agent, backend: FakeBackend
) -> None:
    record = backend.add(trial_spec())
    namespaced.execute(record.spec.trial_id)

    phases = record.phases
    assert list(phases) == ["preparing", "ready", "warmup", "measure", "cooldown", "cleanup"]
    assert record.start_at_us is not None
    assert record.batches[0].clock_offset_us == pytest.approx(0, abs=10_000)
    assert phases["warmup"] >= record.start_at_us - record.batches[0].clock_offset_us
    layouts = {layout.id: layout for batch in record.batches for layout in batch.layouts}
    status = next(layout.id for layout in layouts.values() if layout.collector == "stub_status")
    times = [f.t_us for batch in record.batches for f in batch.frames if f.layout == status]
    for edge in ("warmup", "measure", "cooldown"):
        assert any(0 <= t - phases[edge] < 100_000 for t in times)
    roles = [(event.role, event.index) for event in record.events if event.kind == "process"]
    assert roles == [("nginx-master", 0), ("nginx-worker", 0), ("nginx-worker", 1), ("generator", 0)]


def test_artefacts_are_kept(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(trial_spec())
    namespaced.execute(record.spec.trial_id)

    kept = artefacts(record)
    assert "@@" not in kept["nginx.conf"]
    assert "nginx version" in kept["nginx-V.txt"]
    assert "requests in" in kept["main.txt"]


def test_an_invalid_configuration_ends_with_nginx_own_reason(agent: Agent, backend: FakeBackend) -> None:
    record = backend.add(trial_spec(config=f"{CONFIG}daemon off;\n"))
    agent.execute(record.spec.trial_id)

    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "nginx-config-invalid")
    assert '"daemon" directive is duplicate' in record.end.reason
    assert_nothing_left(agent)


def test_an_unknown_run_variable_is_refused(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(trial_spec(config=CONFIG + "# @@secret@@\n"))
    namespaced.execute(record.spec.trial_id)

    assert record.end is not None
    assert record.end.code == "config-forbidden"
    assert "@@secret@@" in record.end.reason


def test_warnings_of_nginx_are_noted(namespaced: Agent, backend: FakeBackend) -> None:
    config = CONFIG.replace("worker_connections 1024", "worker_connections 12")
    record = backend.add(trial_spec(config=config))
    namespaced.execute(record.spec.trial_id)

    assert {"nginx-worker-connections", "nginx-connections-reused"} & set(record.notes())


@pytest.mark.parametrize("phase", ["preparing", "ready", "warmup", "measure", "cooldown"])
def test_a_trial_can_be_cancelled_in_every_phase(agent: Agent, backend: FakeBackend, phase: str) -> None:
    spec = trial_spec(warmup_s=3, measure_s=3, cooldown_s=20)
    if phase == "measure":
        spec = trial_spec(warmup_s=0, measure_s=20)
    if phase == "cooldown":
        spec = trial_spec(warmup_s=0, measure_s=0.3, cooldown_s=20)
    record = backend.add(spec, auto_start=phase != "ready")
    cancelled_at: list[float] = []

    def cancel() -> None:
        with backend.changed:
            record.command = "cancel"
            cancelled_at.append(time.monotonic())
            backend.changed.notify_all()

    loads = phase in {"warmup", "measure"}
    thread = when(backend, lambda: phase in record.phases and (record.intervals or not loads), cancel)
    agent.execute(spec.trial_id)
    thread.join()

    assert record.end is not None
    assert record.end.outcome == "cancelled"
    assert record.received_at[-1] - cancelled_at[0] < 2.0
    assert_nothing_left(agent)
    if loads:
        printed = result_of(record).printed
        assert printed is not None
        assert printed.requests > 0


def test_a_backend_away_in_the_middle_loses_nothing(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(trial_spec(warmup_s=0.5, measure_s=3))

    def outage() -> None:
        backend.stop()
        time.sleep(1.5)  # the length of the outage, not a wait
        backend.start()

    thread = when(backend, lambda: "measure" in record.phases, outage)
    namespaced.execute(record.spec.trial_id)
    thread.join()

    assert record.end is not None
    assert record.end.outcome == "completed"
    assert [batch.seq for batch in record.batches] == list(range(1, len(record.batches) + 1))
    for earlier, later in pairwise(record.intervals):
        assert earlier.t1_us == later.t0_us
    assert record.phases["cooldown"] - record.phases["measure"] == pytest.approx(3e6, abs=100_000)


def test_a_backend_away_until_after_the_end_gets_everything_from_the_caretaker(
    namespaced: Agent, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ngxlab_worker.agent.agent.LAST_UPLOAD_S", 0.1)
    record = backend.add(trial_spec())
    thread = when(backend, lambda: "measure" in record.phases, backend.stop)
    namespaced.execute(record.spec.trial_id)
    thread.join()
    assert record.end is None

    backend.start()
    with namespaced.client() as client:
        care(namespaced, client)
    assert record.end is not None
    assert record.end.outcome == "completed"
    assert list(namespaced.settings.spool_root.iterdir()) == []


def test_a_trial_that_ran_here_is_not_run_again(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(trial_spec())
    namespaced.execute(record.spec.trial_id)
    batches = len(record.batches)
    namespaced.execute(record.spec.trial_id)
    assert len(record.batches) == batches


def test_data_that_the_backend_does_not_know_is_dropped(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(trial_spec(measure_s=20))

    def forget() -> None:
        with backend.changed:
            del backend.trials[record.spec.trial_id]

    thread = when(backend, lambda: "measure" in record.phases, forget)
    namespaced.execute(record.spec.trial_id)
    thread.join()
    assert_nothing_left(namespaced)
    assert list(namespaced.settings.spool_root.iterdir()) == []


def test_data_that_was_refused_comes_home_once_it_is_not(
    namespaced: Agent, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ngxlab_worker.agent.caretaker.REFUSED_PAUSE_S", 0.0)
    record = backend.add(trial_spec(measure_s=20))

    def refuse() -> None:
        record.refusing = True

    thread = when(backend, lambda: "measure" in record.phases, refuse)
    namespaced.execute(record.spec.trial_id)
    thread.join()
    with namespaced.client() as client:
        caretaker = Caretaker(namespaced.settings, client, namespaced.shared, lambda: False)
        caretaker.round()
        assert record.end is None
        record.refusing = False
        caretaker.round()
    assert record.end is not None
    assert record.end.code == "refused"
    assert list(namespaced.settings.spool_root.iterdir()) == []


def test_a_killed_test_of_the_configuration_does_not_blame_it(namespaced: Agent, backend: FakeBackend) -> None:
    nginx = namespaced.settings.folder / "nginx"
    nginx.write_text(f'#!/bin/sh\ncase "$*" in *-t) kill -9 $$;; esac\nexec {NGINX} "$@"\n')
    nginx.chmod(0o755)
    (namespaced.settings.folder / "caps.toml").write_text(f'nginx = ["{nginx}"]\n')
    spec = trial_spec()
    assert spec.nginx is not None
    killed = spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"binary": str(nginx)})})
    record = backend.add(killed)
    namespaced.execute(record.spec.trial_id)
    assert record.end is not None
    assert record.end.code == "nginx-killed", record.end.reason
    assert "nginx -t was ended by SIGKILL" in record.end.reason


def care(agent: Agent, client: AgentClient) -> None:
    Caretaker(agent.settings, client, agent.shared, lambda: False).round()


def test_where_wrk_cannot_be_read_the_trial_goes_on_and_says_so(
    namespaced: Agent, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: WrkMemory) -> Counts:
        raise MemoryUnreadableError("refused", permanent=True)

    monkeypatch.setattr(WrkMemory, "snapshot", refuse)
    record = backend.add(trial_spec())
    namespaced.execute(record.spec.trial_id)

    assert record.end is not None
    assert record.end.outcome == "completed"
    assert record.notes().count("wrk-memory-unreadable") == 1
    result = result_of(record)
    assert (result.live_requests, result.live_unavailable_reason) == (None, "refused")
    assert result.printed is not None
    assert result.stub_requests == pytest.approx(result.printed.requests, rel=0.01)
    assert record.intervals == []
