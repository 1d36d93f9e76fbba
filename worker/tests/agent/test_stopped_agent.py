"""SIGSTOP of the agent in the middle of a trial: nobody may be left to load a server for ever."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ngxlab_contracts.perturbations import CpuPressure, During, PerturbationSpec
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.agent.caretaker import Caretaker
from ngxlab_worker.sandbox import Isolation
from tests.support.fake_backend import FakeBackend
from tests.support.holding import idle_stream
from tests.support.hosts import processes_in, wait_until
from tests.support.records import TrialRecord
from tests.support.specs import PROXY_CONFIG, app_server, trial_spec
from tests.support.streams import open_loop

ENDED_WITHIN_S = 15.0


def everything_at_once() -> TrialSpec:
    """nginx before an upstream server, all engines, and a perturbation, for longer than the test."""
    spec = trial_spec(config=PROXY_CONFIG, measure_s=300)
    assert spec.nginx is not None
    streams = [
        *spec.streams,
        open_loop(50, key="paced"),
        idle_stream(10),
    ]
    changes = {
        "nginx": spec.nginx.model_copy(update={"upstream_servers": ["upstream.app"]}),
        "upstream_servers": [app_server()],
        "streams": streams,
        "perturbations": [PerturbationSpec(key="cpu", when=During(), action=CpuPressure(processes=1))],
    }
    return spec.model_copy(update=changes)


@pytest.fixture
def record(backend: FakeBackend) -> TrialRecord:
    return backend.add(everything_at_once())


START = Callable[[TrialRecord], "subprocess.Popen[bytes]"]


@pytest.fixture
def start_agent(agent_folder: Path, backend: FakeBackend, user: str | None, isolation: Isolation) -> Iterator[START]:
    started: list[subprocess.Popen[bytes]] = []

    def start(record: TrialRecord) -> "subprocess.Popen[bytes]":
        arguments = [str(agent_folder), backend.url, user or "", isolation.value, str(record.spec.trial_id)]
        process = subprocess.Popen([sys.executable, "-m", "tests.support.agent_process", *arguments])
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_all_that_a_stopped_agent_started_ends_and_the_agent_says_why(
    agent_folder: Path, backend: FakeBackend, agent: Agent, start_agent: START
) -> None:
    """``agent`` comes after the one that is stopped, as Celery's main process comes after its pool's."""
    record = backend.add(everything_at_once())
    process = start_agent(record)
    backend.wait_for(lambda: "measure" in record.phases)
    for name in ("nginx", "wrk", "ngxlab-openloop", "ngxlab-hold", "pressure"):
        assert any(name in line for line in processes_in(agent_folder)), (name, processes_in(agent_folder))

    process.send_signal(signal.SIGSTOP)
    wait_until(lambda: processes_in(agent_folder) == [], timeout_s=ENDED_WITHIN_S)

    process.wait()
    with agent.client() as client:
        Caretaker(agent.settings, client, agent.shared, lambda: False).round()
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "agent-stalled")
    assert "stood still for 10 s" in record.end.reason
    assert list(agent.settings.spool_root.iterdir()) == []
    assert list(agent.settings.trials_root.iterdir()) == []


@pytest.mark.parametrize("isolation", [Isolation.NAMESPACE], indirect=True)
def test_an_agent_that_was_stopped_for_a_moment_goes_on(backend: FakeBackend, start_agent: START) -> None:
    record = backend.add(trial_spec(measure_s=3))
    process = start_agent(record)
    backend.wait_for(lambda: "measure" in record.phases)
    process.send_signal(signal.SIGSTOP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2)  # as long as it is stopped
    process.send_signal(signal.SIGCONT)
    process.wait(30)
    assert record.end is not None
    assert record.end.outcome == "completed"
    assert "late-readings" in record.notes()
