"""A host that is disturbed, or that an agent measures badly."""

import http.client
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.trials import ColdFiles, TrialSpec
from ngxlab_worker.inventory.hardware import cpu_governor
from tests.checks.bench import Bench, fires, pids_of
from tests.support.records import TrialRecord
from tests.support.specs import CONFIG, trial_spec
from tests.support.streams import open_loop

FILES = CONFIG.replace('location / { return 200 "OK\\n"; }', "location / { root @@folder@@/files; }")
SIZE = 4 << 20


def serving_files(*, cold: bool, **nginx: object) -> TrialSpec:
    spec = trial_spec(config=FILES)
    assert spec.nginx is not None
    files = FileSet(folder="files", count=1, size_bytes=SIZE, cold=cold)
    changed = spec.nginx.model_copy(update={"files": [files], **nginx})
    stream = open_loop(20, connections=4, path="/files/0")
    return spec.model_copy(update={"nginx": changed, "streams": [stream]})


def test_a_burner_beside_the_trial(bench: Bench, burn: Callable[[int], None]) -> None:
    for cpu in sorted(os.sched_getaffinity(0))[::4]:
        burn(cpu)
    assert "other processes" in fires(bench.run(trial_spec()).results, "noisy-host", "warning")


def test_the_governor_of_the_cpus(bench: Bench) -> None:
    governor = cpu_governor()
    if governor in {None, "performance"}:
        pytest.skip(f"this machine's CPU governor is {governor}, which a test must not change")
    assert str(governor) in fires(bench.run(trial_spec()).results, "cpu-frequency", "warning")


def test_cold_files_that_stay_in_memory(bench: Bench) -> None:
    """They are dropped from it too seldom."""
    spec = serving_files(cold=True, cold_files=ColdFiles(evict_every_ms=10_000))
    assert "not cold" in fires(bench.run(spec).results, "page-cache", "error")


def test_warm_files_that_somebody_drops_from_memory(bench: Bench) -> None:
    def drop(record: TrialRecord) -> None:
        bench.wait_for(record, "ready")
        (path,) = Path(bench.agent.settings.trials_root).glob("*/files/files/0")
        file = os.open(path, os.O_RDONLY)
        os.fsync(file)
        while "cooldown" not in record.phases and record.end is None:
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)

    assert "not warm" in fires(bench.run(serving_files(cold=False), drop).results, "page-cache", "warning")


def test_an_agent_that_stands_still(bench: Bench) -> None:
    """The test's own process is the agent; it stands still until after the window's end."""
    pause = f"kill -STOP {os.getpid()}; sleep 2; kill -CONT {os.getpid()}"

    def stand_still(record: TrialRecord) -> None:
        bench.wait_for(record, "measure")
        subprocess.run(["sh", "-c", pause], check=True)

    trial = bench.run(trial_spec(), stand_still)
    sampling = trial.summary.hosts[0].sampling
    assert sampling is not None
    assert sampling.missing_percent > 5
    assert "readings missing or late" in fires(trial.results, "sampler", "warning")
    fires(trial.results, "measurement-degraded", "warning")
    assert "late-end" in {note.code for note in trial.summary.notes}


def test_a_generator_that_does_not_end(bench: Bench) -> None:
    def stop(record: TrialRecord) -> None:
        bench.wait_for(record, "measure")
        (pid,) = pids_of(record, "generator")
        os.kill(pid, signal.SIGSTOP)

    said = fires(bench.run(trial_spec(), stop).results, "measurement-degraded", "error")
    assert "generator-stuck" in said


@pytest.mark.usefixtures("in_hosts_network")
def test_another_client_of_the_same_nginx(bench: Bench) -> None:
    """More requests of its own than the load has connections."""
    spec = trial_spec(measure_s=2.5).model_copy(update={"streams": [open_loop(50, connections=4)]})
    asked = threading.Event()

    def ask(record: TrialRecord) -> None:
        bench.wait_for(record, "warmup")
        connection = http.client.HTTPConnection("127.0.0.1", bench.http_port())
        for _ in range(100):
            connection.request("GET", "/")
            connection.getresponse().read()
        connection.close()
        assert record.end is None
        asked.set()

    results = bench.run(spec, ask).results
    assert asked.is_set()
    assert "nginx" in fires(results, "accounting", "error")
