"""An agent's disk that is full: it is named, nothing of it passes as measured, and what was reported gets through."""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from ngxlab_contracts.config_test import ArmConfig, ConfigTestSpec
from ngxlab_contracts.telemetry import NoteEvent
from ngxlab_worker.agent.admission import allowance
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.config_test import ConfigTestContext, run_config_test
from ngxlab_worker.core.clock import Offset, monotonic_us
from ngxlab_worker.sandbox import Isolation
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import make_agent
from tests.support.records import now_us
from tests.support.specs import trial_spec
from tests.support.trials import artefacts, assert_completed, assert_nothing_left, when

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")


@pytest.fixture
def disk(agent_folder: Path) -> Iterator[Path]:
    """An agent's folder on a file system of 48 MiB."""
    folder = agent_folder / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m,mode=755", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.fixture
def agent(disk: Path, backend: FakeBackend, user: str | None) -> Agent:
    agent = make_agent(disk, backend, user, Isolation.NAMESPACE)
    agent.shared.set_offset(Offset(now_us() - monotonic_us(), 0))
    return agent


def fill(disk: Path) -> None:
    with (disk / "ballast").open("ab", buffering=0) as file:
        for piece in (1 << 20, 4096):
            try:
                while True:
                    file.write(bytes(piece))
            except OSError:
                continue


def keep_full(disk: Path, over: threading.Event) -> None:
    """Also what is sent meanwhile, and deleted, leaves no room."""
    while not over.wait(0.01):
        fill(disk)


def empty(disk: Path) -> None:
    (disk / "ballast").unlink()


def assert_usable_again(agent: Agent, backend: FakeBackend) -> None:
    again = backend.add(trial_spec())
    agent.execute(again.spec.trial_id)
    assert_completed(again)
    assert_nothing_left(agent)
    assert list(agent.settings.spool_root.iterdir()) == []


def test_a_trial_that_finds_a_full_disk_does_not_begin(agent: Agent, backend: FakeBackend, disk: Path) -> None:
    fill(disk)
    record = backend.add(trial_spec())
    agent.execute(record.spec.trial_id)
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "disk-full")
    assert record.end.reason == f"the disk of {disk} is full: 0 KiB free, and a trial needs 16 MiB"
    assert not record.phases
    empty(disk)
    assert_usable_again(agent, backend)


@pytest.mark.parametrize("phase", ["ready", "measure"])
def test_a_disk_that_fills_up_during_a_trial_is_its_reason(
    agent: Agent, backend: FakeBackend, disk: Path, phase: str
) -> None:
    record = backend.add(trial_spec(measure_s=4))
    over = threading.Event()
    filled = when(backend, lambda: phase in record.phases, lambda: keep_full(disk, over))
    agent.execute(record.spec.trial_id)
    over.set()
    filled.join()
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "disk-full"), record.end.reason
    assert [batch.seq for batch in record.batches] == list(range(1, len(record.batches) + 1))
    empty(disk)
    assert_usable_again(agent, backend)


def test_a_configuration_is_not_blamed_for_a_full_disk(agent: Agent, disk: Path) -> None:
    nginx = trial_spec().nginx
    assert nginx is not None
    fill(disk)
    spec = ConfigTestSpec(test_id=trial_spec().trial_id, arms=[ArmConfig(arm="a", nginx=nginx)])
    bounds = allowance(agent.settings).bounds
    result = run_config_test(spec, ConfigTestContext(disk / "tests", agent.sandbox, bounds, lambda: False))
    assert result.verdicts == []
    assert "No space left on device" in (result.failure or "") or "full disk" in (result.failure or "")


def test_a_trial_without_wrks_print_says_so(
    namespaced: Agent, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = namespaced.settings.folder / "wrk"
    silent.write_text(f'#!/bin/sh\nexec {shutil.which("wrk")} "$@" > /dev/null\n')
    silent.chmod(0o755)
    monkeypatch.setenv("PATH", f"{silent.parent}:{os.environ['PATH']}")
    record = backend.add(trial_spec())
    namespaced.execute(record.spec.trial_id)
    notes = [event for event in record.events if isinstance(event, NoteEvent) and event.code == "print-missing"]
    assert [note.severity for note in notes] == ["error"]
    assert artefacts(record)["main.txt"] == ""
