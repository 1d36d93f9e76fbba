"""What a server on the same host uses is told by service, from real processes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from ngxlab_contracts.telemetry import ServerUse
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.trial.server_use import ServerUseMeter
from tests.support.fake_backend import FakeBackend
from tests.support.records import now_us
from tests.support.specs import trial_spec
from tests.support.trials import assert_completed

_CHILD = """
import sys, time
for line in sys.stdin:
    until = time.process_time() + float(line)
    while time.process_time() < until: pass
    print(flush=True)
"""
_PARENT = f"import subprocess, sys; subprocess.call([sys.executable, '-c', {_CHILD!r}])"


class Service:
    """A process whose child uses CPU on demand."""

    def __init__(self, folder: Path, name: str) -> None:
        command = [sys.executable, "-c", _PARENT]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        note_pid(folder, name, self._process.pid)
        self.use(0)  # the child has started

    def use(self, seconds: float) -> None:
        wanted, done = self._process.stdin, self._process.stdout
        assert wanted is not None
        assert done is not None
        wanted.write(f"{seconds}\n")
        wanted.flush()
        done.readline()

    @property
    def child(self) -> int:
        pid = self._process.pid
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text())

    def end(self) -> None:
        self._process.communicate()


def note_pid(folder: Path, name: str, pid: int) -> None:
    """As the stack does."""
    start_ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    (folder / f"{name}.pid").write_text(json.dumps({"pid": pid, "start_ticks": start_ticks, "boot_id": "any"}))


@pytest.fixture
def services(tmp_path: Path) -> Iterator[dict[str, Service]]:
    """Two services of a stack, whose pid files are in ``tmp_path``."""
    found = {name: Service(tmp_path, name) for name in ("backend", "postgres")}
    yield found
    for service in found.values():
        service.end()


def test_each_service_is_told_with_its_children(tmp_path: Path, services: dict[str, Service]) -> None:
    meter = ServerUseMeter(tmp_path, now_us)
    services["backend"].use(0.2)
    meter.begin()
    services["backend"].use(0.3)
    services["postgres"].use(0.1)
    meter.end()
    used = meter.used()
    assert used is not None
    assert used.cpu_s == pytest.approx({"backend": 0.3, "postgres": 0.1}, abs=0.05)
    assert used.seconds > 0.4


def test_the_agent_is_no_part_of_the_service_that_started_it(tmp_path: Path) -> None:
    supervisor = Service(tmp_path, "supervisord")
    note_pid(tmp_path, "agent", supervisor.child)
    meter = ServerUseMeter(tmp_path, now_us)
    meter.begin()
    supervisor.use(0.3)
    meter.end()
    used = meter.used()
    supervisor.end()
    assert used is not None
    assert used.cpu_s == pytest.approx({"supervisord": 0}, abs=0.05)


def test_of_services_that_changed_nothing_is_known(tmp_path: Path, services: dict[str, Service]) -> None:
    meter = ServerUseMeter(tmp_path, now_us)
    meter.begin()
    services["postgres"].end()
    meter.end()
    used = meter.used()
    assert used is not None
    assert (used.cpu_s, used.is_changed) == ({}, True)


@pytest.mark.parametrize("folder", [None, Path("/nowhere")])
def test_without_a_server_there_is_nothing_to_tell(folder: Path | None) -> None:
    meter = ServerUseMeter(folder, now_us)
    meter.begin()
    meter.end()
    assert meter.used() is None


def test_a_reused_pid_is_no_service(tmp_path: Path) -> None:
    note_pid(tmp_path, "backend", os.getpid())
    file = tmp_path / "backend.pid"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"start_ticks": 1}))
    (tmp_path / "redis.pid").write_text("{")
    meter = ServerUseMeter(tmp_path, now_us)
    meter.begin()
    meter.end()
    assert meter.used() is None


@pytest.mark.parametrize("warmup_s", [0, 0.5])
def test_a_trial_tells_it_of_its_measured_window(
    namespaced: Agent, backend: FakeBackend, tmp_path: Path, services: dict[str, Service], warmup_s: float
) -> None:
    namespaced.settings = replace(namespaced.settings, server_run=tmp_path)
    record = backend.add(trial_spec(warmup_s=warmup_s, measure_s=1.2))
    services["backend"].use(0.3)
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    (used,) = (event for event in record.events if isinstance(event, ServerUse))
    assert used.cpu_s == pytest.approx({"backend": 0, "postgres": 0}, abs=0.05)
    assert used.seconds > 1
