"""Whole trials with a real nginx and wrk, perturbed."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ngxlab_contracts.perturbations import (
    Churn,
    CpuPressure,
    DiskPressure,
    During,
    Every,
    HttpCall,
    Once,
    PerturbationSpec,
    Reload,
    SignalNginx,
    Sync,
    When,
)
from ngxlab_contracts.telemetry import ActionEvent, ProcessEvent
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent.agent import Agent
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import processes_in
from tests.support.records import TrialRecord
from tests.support.specs import CONFIG, PROXY_CONFIG, app_server, trial_spec
from tests.support.trials import artefacts, assert_completed, assert_nothing_left, nginx_total, result_of, when

MOVED = CONFIG.replace('location / { return 200 "OK\\n"; }', "location / { return 302 /elsewhere; }")


def perturbed(when_: When, action: Any, **rest: Any) -> TrialSpec:
    return trial_spec(**rest).model_copy(
        update={"perturbations": [PerturbationSpec(key="p", when=when_, action=action)]}
    )


def actions(record: TrialRecord) -> list[ActionEvent]:
    return [event for event in record.events if isinstance(event, ActionEvent)]


def workers(record: TrialRecord) -> dict[int, list[int]]:
    """The process ids of each worker's place, in turn."""
    found: dict[int, list[int]] = {}
    for event in record.events:
        if isinstance(event, ProcessEvent) and event.role == "nginx-worker":
            found.setdefault(event.index, []).append(event.pid)
    return found


def execute(agent: Agent, backend: FakeBackend, spec: TrialSpec) -> TrialRecord:
    record = backend.add(spec)
    agent.execute(spec.trial_id)
    assert_nothing_left(agent)
    return record


def test_a_reload_replaces_all_workers_and_the_sampler_follows_them(agent: Agent, backend: FakeBackend) -> None:
    record = execute(agent, backend, perturbed(Once(at_s=0.4), Reload(), measure_s=2))
    assert_completed(record)
    (action,) = actions(record)
    assert action.ok, action.detail
    assert action.ended_us is not None
    assert action.t_us - record.phases["measure"] >= 400_000
    assert 50_000 < action.ended_us - action.t_us < 10_000_000
    places = workers(record)
    assert sorted(places) == [0, 1]
    assert all(len(set(pids)) == 2 for pids in places.values())
    assert workers_read_last(record) == {"0", "1"}
    printed = result_of(record).printed
    assert printed is not None
    # nginx's counters survive; it may close a connection on which wrk has just sent a request.
    assert nginx_total(record) == pytest.approx(printed.requests, rel=0.05)


def workers_read_last(record: TrialRecord) -> set[str]:
    """The places of the workers in the last reading of processes; a worker that has ended is missing."""
    layouts = {layout.id: layout for batch in record.batches for layout in batch.layouts}
    frames = [frame for batch in record.batches for frame in batch.frames]
    read = [layouts[frame.layout] for frame in frames if layouts[frame.layout].collector == "process"]
    return {series.labels["index"] for series in read[-1].series if series.labels["role"] == "nginx-worker"}


def test_a_broken_configuration_is_not_taken_over(
    namespaced: Agent, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ngxlab_worker.perturbations.actions.RELOAD_TIMEOUT_S", 0.4)
    spec = perturbed(Every(every_s=0.5, from_s=0.2), Reload(), measure_s=2)
    record = backend.add(spec)

    def spoil() -> None:
        (config,) = namespaced.settings.trials_root.glob("*/nginx.conf")
        config.write_text("nonsense on;\n")

    thread = when(backend, lambda: "warmup" in record.phases, spoil)
    namespaced.execute(spec.trial_id)
    thread.join()
    assert_completed(record)
    found = [action for action in actions(record) if not action.skipped]
    assert not any(action.ok for action in found)
    assert "2 of 2 workers are still old ones" in found[0].detail
    assert record.notes().count("perturbation-failed") == 1
    assert "nonsense on" in artefacts(record)["nginx.conf"]


def test_a_stop_of_a_second_is_felt_by_the_load(agent: Agent, backend: FakeBackend) -> None:
    stall = SignalNginx(signal="STOP", to="all", resume_after_s=1)
    record = execute(agent, backend, perturbed(Once(at_s=0.3), stall, measure_s=2))
    assert_completed(record)
    (action,) = actions(record)
    assert action.ok
    assert "3 processes" in action.detail
    assert action.ended_us is not None
    assert action.ended_us - action.t_us >= 1_000_000
    printed = result_of(record).printed
    assert printed is not None
    assert printed.latency_max_us is not None
    assert printed.latency_max_us >= 990_000
    # No reading waited for the status of a stopped nginx.
    assert "collector-failed" not in record.notes()


@pytest.mark.parametrize(
    ("signal", "said"),
    [
        (SignalNginx(signal="KILL", to="worker", worker=1), "SIGKILL to 1 process"),
        (SignalNginx(signal="USR1", to="master"), "SIGUSR1 to 1 process"),
        (SignalNginx(signal="QUIT", to="workers"), "SIGQUIT to 2 processes"),
    ],
)
def test_other_signals(namespaced: Agent, backend: FakeBackend, signal: SignalNginx, said: str) -> None:
    record = execute(namespaced, backend, perturbed(Once(at_s=0.3), signal))
    assert_completed(record)
    (action,) = actions(record)
    assert (action.ok, action.detail) == (True, said)
    replaced = {index for index, pids in workers(record).items() if len(set(pids)) > 1}
    assert replaced == {"KILL": {1}, "USR1": set(), "QUIT": {0, 1}}[signal.signal]


def test_a_worker_that_is_not_there(namespaced: Agent, backend: FakeBackend) -> None:
    record = execute(namespaced, backend, perturbed(Once(at_s=0), SignalNginx(signal="TERM", to="worker", worker=7)))
    assert_completed(record)
    (action,) = actions(record)
    assert (action.ok, action.detail) == (False, "there is no worker 7: nginx has 2 workers, counted from 0")


def test_nginx_may_be_killed_on_purpose(namespaced: Agent, backend: FakeBackend) -> None:
    record = execute(namespaced, backend, perturbed(Once(at_s=0.2), SignalNginx(signal="KILL", to="master")))
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "nginx-died")
    assert [action.detail for action in actions(record)] == ["SIGKILL to 1 process"]


def test_an_http_call_is_answered_not_followed_and_no_part_of_the_load(agent: Agent, backend: FakeBackend) -> None:
    spec = perturbed(Every(every_s=0.25), HttpCall(path="/x", method="POST", body="a"), config=MOVED)
    record = execute(agent, backend, spec.model_copy(update={"streams": []}))
    assert_completed(record)
    assert nginx_total(record) == 0
    found = [action for action in actions(record) if not action.skipped]
    assert found != []
    assert {(action.ok, action.status) for action in found} == {(True, 302)}
    assert all("Moved Temporarily" in action.detail for action in found)


def test_an_http_call_to_a_backend(namespaced: Agent, backend: FakeBackend) -> None:
    spec = perturbed(Once(at_s=0.2), HttpCall(endpoint="upstream.app", path="/a"), config=PROXY_CONFIG)
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"upstream_servers": ["upstream.app"]})
    record = execute(namespaced, backend, spec.model_copy(update={"nginx": nginx, "upstream_servers": [app_server()]}))
    assert_completed(record)
    assert [(action.ok, action.status) for action in actions(record)] == [(True, 200)]


def test_an_answer_that_does_not_come_in_time(namespaced: Agent, backend: FakeBackend) -> None:
    spec = perturbed(Once(at_s=0.3), HttpCall(timeout_s=0.2), measure_s=2)
    stall = PerturbationSpec(
        key="stall", when=Once(at_s=0), action=SignalNginx(signal="STOP", to="all", resume_after_s=1.8)
    )
    spec = spec.model_copy(update={"perturbations": [*spec.perturbations, stall]})
    record = execute(namespaced, backend, spec)
    assert_completed(record)
    (call,) = [action for action in actions(record) if action.perturbation == "p"]
    assert (call.ok, call.status, call.detail) == (False, None, "no complete answer within 0.2 s")
    assert record.notes().count("perturbation-failed") == 1


def test_who_is_stopped_twice_goes_on_after_the_second_time(namespaced: Agent, backend: FakeBackend) -> None:
    def stall(key: str, begin_s: float, whom: str, pause_s: float) -> PerturbationSpec:
        action = SignalNginx.model_validate({"signal": "STOP", "to": whom, "resume_after_s": pause_s})
        return PerturbationSpec(key=key, when=Once(at_s=begin_s), action=action)

    states: list[str] = []
    stalls = [stall("long", 0.1, "all", 1.5), stall("brief", 0.3, "workers", 0.1)]
    spec = trial_spec(measure_s=2).model_copy(update={"perturbations": stalls})
    record = backend.add(spec)

    def look() -> None:
        pids = [pid for pids in workers(record).values() for pid in pids]
        states.extend(state_of(pid) for pid in pids)

    watcher = when(backend, lambda: len(actions(record)) == 1, look)
    namespaced.execute(spec.trial_id)
    watcher.join()
    assert_completed(record)
    assert [action.perturbation for action in actions(record)] == ["brief", "long"]
    assert all(action.ok for action in actions(record))
    assert states == ["T", "T"]
    assert_nothing_left(namespaced)


def test_sync_again_and_again(namespaced: Agent, backend: FakeBackend) -> None:
    record = execute(namespaced, backend, perturbed(Every(every_s=0.2), Sync()))
    assert_completed(record)
    found = actions(record)
    assert [action.number for action in found] == [1, 2, 3, 4, 5, 6]
    assert all(action.ok or action.skipped for action in found)


def test_churn_without_dynamic_upstreams_says_why(namespaced: Agent, backend: FakeBackend) -> None:
    record = execute(namespaced, backend, perturbed(Once(at_s=0), Churn(group="app")))
    assert_completed(record)
    assert [action.detail for action in actions(record)] == [
        "the nginx under test has no upstream groups that can change"
    ]


@pytest.mark.parametrize("pressure", [CpuPressure(processes=2), DiskPressure(bytes_per_s=16 << 20)])
def test_pressure_lasts_for_its_interval(agent: Agent, backend: FakeBackend, pressure: Any) -> None:
    spec = perturbed(During(from_s=0.2, until_s=1.4), pressure, measure_s=1.5)
    record = backend.add(spec)
    seen: dict[str, list[str]] = {}

    def look(name: str) -> Callable[[], None]:
        return lambda: seen.update({name: [line for line in processes_in(agent.settings.folder) if "pressure" in line]})

    watchers = [
        when(backend, lambda: len(actions(record)) == 1, look("during")),
        when(backend, lambda: len(actions(record)) == 2, look("after")),
    ]
    agent.execute(spec.trial_id)
    for watcher in watchers:
        watcher.join()
    assert_completed(record)
    begun, ended = actions(record)
    assert begun.ended_us is None
    assert ended.ok, ended.detail
    assert ended.ended_us is not None
    assert ended.t_us >= record.phases["measure"] + 200_000
    assert ended.ended_us >= record.phases["measure"] + 1_400_000  # its end, however late it began
    assert seen["during"] != []
    assert seen["after"] == []
    assert ("MiB written" in ended.detail) == (pressure.kind == "disk-pressure")
    assert_nothing_left(agent)


def test_nothing_of_it_survives_a_trial_that_is_cancelled(agent: Agent, backend: FakeBackend) -> None:
    stall = SignalNginx(signal="STOP", to="all", resume_after_s=60)
    spec = perturbed(Once(at_s=0.2), stall, measure_s=30)
    pressure = PerturbationSpec(key="cpu", when=During(), action=CpuPressure(processes=1))
    call = PerturbationSpec(key="call", when=Once(at_s=0.4), action=HttpCall(timeout_s=60))
    spec = spec.model_copy(update={"perturbations": [*spec.perturbations, pressure, call]})
    record = backend.add(spec)

    def cancel() -> None:
        with backend.changed:
            record.command = "cancel"

    thread: threading.Thread = when(backend, lambda: stopped_workers(record), cancel)
    agent.execute(spec.trial_id)
    thread.join()
    assert record.end is not None
    assert record.end.outcome == "cancelled"
    details = {action.perturbation: action.detail for action in actions(record)}
    assert "resumed early" in details["p"]
    assert_nothing_left(agent)


def stopped_workers(record: TrialRecord) -> bool:
    """Whether the kernel shows nginx's workers as stopped."""
    pids = [pid for pids in workers(record).values() for pid in pids]
    return bool(pids) and all(state_of(pid) == "T" for pid in pids)


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
