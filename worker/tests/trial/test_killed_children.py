"""kill -9 of what a trial started, by somebody else: the trial says so, ends, and leaves nothing."""

import os
import signal
from pathlib import Path

import pytest
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import ProcessEvent
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.sandbox.syscalls import obstacle
from tests.support.fake_backend import FakeBackend
from tests.support.holding import idle_stream
from tests.support.records import TrialRecord
from tests.support.specs import PROXY_CONFIG, app_server, trial_spec
from tests.support.streams import open_loop
from tests.support.trials import assert_nothing_left, when

WRK = StreamSpec(key="main", engine="wrk", threads=1, connections=4)


def trial(*streams: StreamSpec) -> TrialSpec:
    return trial_spec(measure_s=20).model_copy(update={"streams": list(streams)})


def before_an_upstream_server() -> TrialSpec:
    spec = trial_spec(config=PROXY_CONFIG, measure_s=20)
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"upstream_servers": ["upstream.app"]})
    return spec.model_copy(update={"nginx": nginx, "upstream_servers": [app_server()]})


def pid_of(record: TrialRecord, role: str) -> int:
    return next(event.pid for event in record.events if isinstance(event, ProcessEvent) and event.role == role)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def is_filtered(pid: int) -> bool:
    """Whether a process makes the system calls of a list only, and gains no right. Source: proc_pid_status(5)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return "\nSeccomp:\t2\n" in status and "\nNoNewPrivs:\t1\n" in status


@pytest.mark.parametrize("engine", [WRK, open_loop(50), idle_stream(10)], ids=lambda stream: stream.engine)
def test_a_killed_generator(agent: Agent, backend: FakeBackend, engine: StreamSpec) -> None:
    record = backend.add(trial(engine))
    filtered: list[bool] = []

    def look_and_kill() -> None:
        filtered.extend(is_filtered(pid_of(record, role)) for role in ("nginx-worker", "generator"))
        os.kill(pid_of(record, "generator"), signal.SIGKILL)

    kill = when(backend, lambda: "measure" in record.phases, look_and_kill)
    agent.execute(record.spec.trial_id)
    kill.join()
    assert filtered == [obstacle() is None] * 2
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "generator-killed")
    assert "SIGKILL, which ngxlab did not send" in record.end.reason
    assert_nothing_left(agent)


def test_a_killed_nginx(agent: Agent, backend: FakeBackend) -> None:
    record = backend.add(trial(WRK))
    kill = when(
        backend, lambda: "measure" in record.phases, lambda: os.kill(pid_of(record, "nginx-master"), signal.SIGKILL)
    )
    agent.execute(record.spec.trial_id)
    kill.join()
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "nginx-killed"), record.end.reason
    assert_nothing_left(agent)


def test_a_killed_upstream_server(agent: Agent, backend: FakeBackend) -> None:
    record = backend.add(before_an_upstream_server())

    def kill_master() -> None:
        os.kill(parent_of(pid_of(record, "upstream")), signal.SIGKILL)

    kill = when(backend, lambda: "measure" in record.phases, kill_master)
    agent.execute(record.spec.trial_id)
    kill.join()
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "upstream-killed")
    assert_nothing_left(agent)


@pytest.mark.parametrize("generations", [1, 2])
def test_killed_processes_around_nginx(agent: Agent, backend: FakeBackend, generations: int) -> None:
    """Whatever holds nginx (of a namespace: its first process and its launcher; otherwise the guardian) may be hit."""
    record = backend.add(trial(WRK))

    def kill_holder() -> None:
        pid = pid_of(record, "nginx-master")
        for _ in range(generations):
            above = parent_of(pid)
            pid = above if above != os.getpid() else pid
        os.kill(pid, signal.SIGKILL)

    kill = when(backend, lambda: "measure" in record.phases, kill_holder)
    agent.execute(record.spec.trial_id)
    kill.join()
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "nginx-killed"), record.end.reason
    agent.settings.trials_root.mkdir(exist_ok=True)
    assert_nothing_left(agent)
