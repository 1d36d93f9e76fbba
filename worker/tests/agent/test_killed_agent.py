"""kill -9 of the agent in the middle of a trial."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from ngxlab_contracts.perturbations import CpuPressure, DiskPressure, During, Once, PerturbationSpec, SignalNginx
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent import caretaker
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.agent.caretaker import Caretaker, reap
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.sandbox import Command, Isolation, Sandbox, resolve_run_as
from ngxlab_worker.sandbox.identity import hand_over
from ngxlab_worker.storage import StorageError
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import make_agent, own_caps, processes_in, wait_until
from tests.support.records import TrialRecord
from tests.support.specs import trial_spec

RESTART = Callable[[], Agent]
START = Callable[[TrialRecord], "subprocess.Popen[bytes]"]


@pytest.fixture
def start_agent(agent_folder: Path, backend: FakeBackend, user: str | None, isolation: Isolation) -> Iterator[START]:
    started: list[subprocess.Popen[bytes]] = []

    def start(record: TrialRecord) -> "subprocess.Popen[bytes]":
        own_caps(agent_folder)
        arguments = [str(agent_folder), backend.url, user or "", isolation.value, str(record.spec.trial_id)]
        process = subprocess.Popen([sys.executable, "-m", "tests.support.agent_process", *arguments])
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def restart(agent_folder: Path, backend: FakeBackend, user: str | None, isolation: Isolation) -> RESTART:
    """A new agent that has cleared up what the killed one left."""

    def make() -> Agent:
        agent = make_agent(agent_folder, backend, user, isolation)
        with agent.client() as client:
            caretaker = Caretaker(agent.settings, client, agent.shared, lambda: False)

            def nothing_is_left() -> bool:
                caretaker.round()
                return not any(agent.settings.spool_root.iterdir())

            wait_until(nothing_is_left)
        return agent

    return make


@pytest.mark.parametrize(
    "case",
    [
        ("warmup", trial_spec(warmup_s=30)),
        ("measure", trial_spec(warmup_s=0.2, measure_s=30)),
        ("cooldown", trial_spec(warmup_s=0.2, measure_s=0.3, cooldown_s=30)),
    ],
)
def test_nothing_survives_a_killed_agent(
    agent_folder: Path, backend: FakeBackend, start_agent: START, restart: RESTART, case: tuple[str, TrialSpec]
) -> None:
    phase, spec = case
    record = backend.add(spec.model_copy(update={"trial_id": uuid4()}))
    process = start_agent(record)
    backend.wait_for(lambda: phase in record.phases)
    assert processes_in(agent_folder) != []

    process.kill()
    wait_until(lambda: processes_in(agent_folder) == [], timeout_s=1.0)

    agent = restart()
    assert list(agent.settings.trials_root.iterdir()) == []
    assert list(agent.settings.spool_root.iterdir()) == []
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "agent-restarted")


def test_nothing_survives_of_what_perturbed_a_trial(
    agent_folder: Path, backend: FakeBackend, start_agent: START
) -> None:
    stall = SignalNginx(signal="STOP", to="all", resume_after_s=60)
    perturbations = [
        PerturbationSpec(key="cpu", when=During(), action=CpuPressure(processes=2)),
        PerturbationSpec(key="disk", when=During(), action=DiskPressure(bytes_per_s=1 << 20)),
        PerturbationSpec(key="stall", when=Once(at_s=0), action=stall),
    ]
    record = backend.add(trial_spec(measure_s=30).model_copy(update={"perturbations": perturbations}))
    process = start_agent(record)
    backend.wait_for(lambda: sum(event.kind == "action" for event in record.events) == 2)
    assert [line for line in processes_in(agent_folder) if "pressure" in line] != []

    process.kill()
    wait_until(lambda: processes_in(agent_folder) == [], timeout_s=5.0)


@pytest.mark.parametrize("isolation", [Isolation.NAMESPACE], indirect=True)
def test_data_of_a_killed_agent_is_dropped_where_the_backend_does_not_want_it(
    backend: FakeBackend, start_agent: START, restart: RESTART
) -> None:
    record = backend.add(trial_spec(measure_s=30))
    process = start_agent(record)
    backend.wait_for(lambda: "measure" in record.phases)
    process.kill()
    process.wait()
    record.command = "discard"

    agent = restart()
    assert record.end is None
    assert list(agent.settings.spool_root.iterdir()) == []


def test_the_reaper_ends_processes_that_outlived_their_agent(agent_folder: Path, user: str | None) -> None:
    run_as = resolve_run_as(user)
    folder = agent_folder / "trials" / str(uuid4())
    folder.mkdir(parents=True)
    hand_over(folder, run_as)
    command = Command(("/usr/bin/sleep", "60"), folder, folder / "out", folder / "err")
    child = Sandbox(Isolation.NAMESPACE, run_as).spawn(command)

    reap(agent_folder / "trials")
    assert child.wait(1.0) is not None
    assert not folder.exists()


def test_what_the_reaper_cannot_remove_is_no_obstacle(agent_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [agent_folder / "trials" / name for name in ("busy", "a", "b", "c")]
    for folder in folders:
        folder.mkdir(parents=True)
    (agent_folder / "trials" / "file").touch()  # rmtree refuses it

    def release_all_but_one(folder: Path) -> None:
        if folder.name == "busy":
            raise StorageError("storage-failed", "target is busy")

    monkeypatch.setattr(caretaker, "release", release_all_but_one)
    reap(agent_folder / "trials")
    assert {path.name for path in (agent_folder / "trials").iterdir()} == {"busy", "file"}


def test_the_agents_folder_is_known_by_the_name_that_the_kernel_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setenv("NGXLAB_AGENT_DIR", str(tmp_path / "link"))
    assert AgentSettings.from_environment().trials_root == (tmp_path / "real").resolve() / "trials"


def test_the_reaper_spares_the_running_trial(agent_folder: Path, user: str | None) -> None:
    trial_id = uuid4()
    folder = agent_folder / "trials" / str(trial_id)
    folder.mkdir(parents=True)
    reap(agent_folder / "trials", lambda: trial_id)
    assert folder.exists()


def test_the_reaper_spares_a_trial_that_begins_while_it_looks(agent_folder: Path) -> None:
    trial_id = uuid4()
    folder = agent_folder / "trials" / str(trial_id)

    def another_ended_and_this_one_begins() -> None:
        folder.mkdir(parents=True)

    reap(agent_folder / "trials", another_ended_and_this_one_begins)
    assert folder.exists()


def test_killing_a_child_ends_its_descendants_in_other_sessions_too(agent_folder: Path, user: str | None) -> None:
    run_as = resolve_run_as(user)
    folder = agent_folder / "work"
    folder.mkdir()
    hand_over(folder, run_as)
    script = "setsid sleep 60 & sleep 60"
    command = Command(("/bin/sh", "-c", script), folder, folder / "out", folder / "err")
    for isolation in Isolation:
        child = Sandbox(isolation, run_as).spawn(command)
        wait_until(lambda: len(processes_in(folder)) >= 3, timeout_s=2.0)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGTERM)
        child.kill()
        assert processes_in(folder) == []
