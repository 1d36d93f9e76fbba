"""Whole trials that read cold files, and what they must not leave behind."""

import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.streams import PathChoice, StreamSpec
from ngxlab_contracts.trials import ColdFiles, TrialSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.agent.caretaker import reap
from ngxlab_worker.core.cgroups import PREFIX
from ngxlab_worker.sandbox import Isolation
from ngxlab_worker.storage.disk import mounts_below
from ngxlab_worker.storage.read_limit import hierarchy
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import make_agent
from tests.support.records import TrialRecord
from tests.support.specs import CONFIG, trial_spec
from tests.support.trials import assert_completed, assert_nothing_left, result_of

FILES = CONFIG.replace('location / { return 200 "OK\\n"; }', "location / { root @@folder@@/files; }")
COUNT, SIZE = 12, 1 << 20


def cold_trial(cold: ColdFiles, **timing: Any) -> TrialSpec:
    """Requests go to cold files at random, and to a warm one."""
    spec = trial_spec(config=FILES, **timing)
    assert spec.nginx is not None
    sets = [
        FileSet(folder="cold", count=COUNT, size_bytes=SIZE, cold=True),
        FileSet(folder="warm", count=1, size_bytes=1024),
    ]
    streams = [
        StreamSpec(
            key="cold", engine="wrk", threads=1, connections=4, paths=PathChoice(pattern="/cold/{n}", count=COUNT)
        ),
        StreamSpec(key="warm", engine="wrk", threads=1, connections=4, path="/warm/0"),
    ]
    nginx = spec.nginx.model_copy(update={"files": sets, "cold_files": cold})
    return spec.model_copy(update={"nginx": nginx, "streams": streams})


def read_by_workers(record: TrialRecord) -> float:
    """Bytes that came from storage between the first and the last reading."""
    return sum(values[-1] - values[0] for values in columns(record, "ngxlab_process_read_bytes_total", "nginx-worker"))


def columns(record: TrialRecord, name: str, role: str) -> list[list[float]]:
    layouts = {layout.id: layout for batch in record.batches for layout in batch.layouts}
    found: dict[str, list[float]] = {}
    for frame in (frame for batch in record.batches for frame in batch.frames):
        for series, value in zip(layouts[frame.layout].series, frame.values, strict=True):
            if series.name == name and series.labels.get("role") == role and value is not None:
                found.setdefault(series.labels["index"], []).append(value)
    return list(found.values())


def note(record: TrialRecord, code: str) -> str:
    return next(event.message for event in record.events if event.kind == "note" and event.code == code)


def test_evicted_files_come_from_the_disk(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(cold_trial(ColdFiles(evict_every_ms=5)))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    printed = result_of(record, "cold").printed
    assert printed is not None
    assert printed.errors_status == 0
    assert printed.bytes_read > COUNT * SIZE
    assert read_by_workers(record) > COUNT * SIZE
    assert "were evicted from memory every" in note(record, "cold-files")
    assert max(columns(record, "ngxlab_process_resident_memory_bytes", "helper")[0]) > 0
    assert_nothing_left(namespaced)


@pytest.mark.usefixtures("throttling")
def test_a_throttled_disk_gives_no_more_than_its_limit_and_is_gone_afterwards(
    agent: Agent, backend: FakeBackend
) -> None:
    limit = 8 << 20
    record = backend.add(cold_trial(ColdFiles(method="throttle", read_bytes_per_s=limit), measure_s=1.6))
    agent.execute(record.spec.trial_id)

    assert_completed(record)
    read = sum(values[-1] - values[0] for values in devices(record, "node_disk_read_bytes_total", "loop"))
    # 2 s of load, and the burst that the limit allows.
    assert SIZE < read < 2.6 * limit
    assert result_of(record, "warm").printed is not None
    assert_nothing_left(agent)
    assert_no_device(agent.settings.trials_root, record.spec)


def devices(record: TrialRecord, name: str, prefix: str) -> list[list[float]]:
    layouts = {layout.id: layout for batch in record.batches for layout in batch.layouts}
    found: dict[str, list[float]] = {}
    for frame in (frame for batch in record.batches for frame in batch.frames):
        for series, value in zip(layouts[frame.layout].series, frame.values, strict=True):
            device = series.labels.get("device", "")
            if series.name == name and device.startswith(prefix) and value is not None:
                found.setdefault(device, []).append(value)
    assert len(found) == 1, "the trial's own loop device, and no other"
    return list(found.values())


def assert_no_device(trials_root: Path, spec: TrialSpec) -> None:
    assert mounts_below(trials_root) == []
    images = [path.read_text() for path in Path("/sys/block").glob("loop*/loop/backing_file")]
    assert not [image for image in images if str(spec.trial_id) in image]
    found = hierarchy()
    assert found is not None
    assert list(found.mount.rglob(f"{PREFIX}{spec.trial_id}*")) == []


@pytest.mark.usefixtures("throttling")
def test_a_killed_agent_s_disk_is_removed_by_the_next_one(
    agent_folder: Path, backend: FakeBackend, user: str | None
) -> None:
    spec = cold_trial(ColdFiles(method="throttle", read_bytes_per_s=8 << 20), measure_s=30)
    record = backend.add(spec.model_copy(update={"trial_id": uuid4()}))
    isolation = Isolation.NAMESPACE
    arguments = [str(agent_folder), backend.url, user or "", isolation.value, str(record.spec.trial_id)]
    process = subprocess.Popen([sys.executable, "-m", "tests.support.agent_process", *arguments])
    try:
        backend.wait_for(lambda: "measure" in record.phases)
    finally:
        process.kill()
        process.wait()
    assert mounts_below(agent_folder) != []

    agent = make_agent(agent_folder, backend, user, isolation)
    reap(agent.settings.trials_root)
    assert_nothing_left(agent)
    assert_no_device(agent.settings.trials_root, record.spec)


def test_more_cold_files_than_descriptors_are_refused(namespaced: Agent, backend: FakeBackend) -> None:
    spec = cold_trial(ColdFiles())
    assert spec.nginx is not None
    sets = [FileSet(folder="cold", count=100_000, size_bytes=0, cold=True)]
    many = [set_.model_copy(update={"folder": f"cold{n}"}) for n in range(2) for set_ in sets]
    record = backend.add(spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"files": many})}))
    namespaced.execute(record.spec.trial_id)
    assert record.end is not None
    assert record.end.outcome == "failed"
    assert record.end.code == "fd-limit", record.end.reason
