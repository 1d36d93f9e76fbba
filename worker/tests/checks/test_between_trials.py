"""What changes between two trials of a run, and within the window of one."""

import os
import re
import shutil
import signal
from pathlib import Path
from uuid import uuid4

import pytest
from ngxlab_contracts.perturbations import Once, PerturbationSpec, SignalNginx
from ngxlab_contracts.trials import TrialSpec
from tests.checks.bench import Bench, fires, judged_together, pids_of
from tests.checks.test_generators import proxied
from tests.support.hosts import own_caps
from tests.support.records import TrialRecord
from tests.support.specs import CONFIG, NGINX, PROXY_CONFIG, trial_spec

SOMAXCONN, FILE_MAX = Path("/proc/sys/net/core/somaxconn"), Path("/proc/sys/fs/file-max")
STEADY_SCRIPT = "function delay() return 50 end\n"
"""Each connection sends a request every 50 ms, so that the rate does not depend on what else the machine does."""
HALF_S, WINDOW_S = 5.0, 10.0


def again(spec: TrialSpec, **changes: object) -> TrialSpec:
    return spec.model_copy(update={"trial_id": uuid4(), "position": spec.position + 1, **changes})


def with_nginx(spec: TrialSpec, **changes: object) -> TrialSpec:
    assert spec.nginx is not None
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update=changes)})


@pytest.mark.usefixtures("own_network")
def test_a_parameter_of_the_kernel_that_somebody_sets(bench: Bench) -> None:
    SOMAXCONN.write_text("4096")
    first = bench.run(spec := trial_spec())
    SOMAXCONN.write_text("1234")
    second = bench.run(again(spec))
    assert "somaxconn: 1234 and 4096" in fires(judged_together(first, second), "environment", "error")


@pytest.mark.skipif(not os.access(FILE_MAX, os.W_OK), reason="this machine's fs.file-max cannot be set")
def test_a_limit_of_the_whole_machine_that_rises_is_worth_a_word_only(bench: Bench) -> None:
    before = FILE_MAX.read_text()
    first = bench.run(spec := trial_spec())
    try:
        FILE_MAX.write_text(str(int(before) - 1))
        second = bench.run(again(spec))
    finally:
        FILE_MAX.write_text(before)
    assert "file_max" in fires(judged_together(first, second), "environment", "warning")
    assert judged_together(first, bench.run(again(spec)))["environment"].severity == "pass"


def test_another_nginx_in_the_same_place(bench: Bench) -> None:
    binary = bench.agent.settings.folder / "nginx"
    shutil.copy(NGINX, binary)
    own_caps(bench.agent.settings.folder, f'nginx = ["{binary}"]\n')
    spec = with_nginx(trial_spec(), binary=str(binary))
    first = bench.run(spec)
    with binary.open("ab") as file:
        file.write(b"rebuilt")
    second = bench.run(again(spec))
    assert "e.g. nginx:" in fires(judged_together(first, second), "environment", "error")


def test_an_arm_that_logs_and_one_that_does_not(bench: Bench) -> None:
    quiet = bench.run(spec := trial_spec())
    buffered = CONFIG.replace("access_log off", "access_log @@folder@@/access.log combined buffer=64k flush=1s")
    writing = bench.run(again(with_nginx(spec, config=buffered), arm="logging"))
    assert "differs between arms" in fires(judged_together(quiet, writing), "access-log", "warning")
    each = bench.run(again(with_nginx(spec, config=buffered.replace(" buffer=64k flush=1s", "")), arm="unbuffered"))
    between = judged_together(writing, each)
    assert "unbuffered: @@folder@@/access.log combined" in fires(between, "access-log", "warning")
    assert "error" not in {result.severity for result in between.values()}, "it is a question as any other"


def test_builds_with_other_defaults(bench: Bench) -> None:
    """The same nginx, but for what it calls itself: the table of defaults goes by that."""
    newer = bench.agent.settings.folder / "nginx"
    newer.write_bytes(re.sub(rb"nginx/1\.\d\d\.\d\b", b"nginx/1.29.7", Path(NGINX).read_bytes()))
    newer.chmod(0o755)
    own_caps(bench.agent.settings.folder, f'nginx = ["{NGINX}", "{newer}"]\n')
    spec = proxied()
    plain = PROXY_CONFIG.replace("proxy_http_version 1.1; ", "")
    stock = bench.run(spec := with_nginx(spec, config=plain))
    renamed = bench.run(again(with_nginx(spec, binary=str(newer)), arm="newer"))
    said = fires(judged_together(stock, renamed), "nginx-defaults", "warning")
    assert "proxy_http_version (before 1.29.7: 1.0" in said
    assert "keepalive (" not in said, "that is set"


def steady_trial() -> TrialSpec:
    """Each worker has its own listen queue, and with it half of the connections."""
    shared = CONFIG.replace("listen 127.0.0.1:@@http_port@@;", "listen 127.0.0.1:@@http_port@@ reuseport;")
    stream = {"connections": 40, "script": STEADY_SCRIPT}
    return trial_spec(config=shared, stream=stream, warmup_s=1, measure_s=WINDOW_S)


def test_a_worker_that_stands_still_from_the_middle_of_the_window(bench: Bench) -> None:
    def stop(record: TrialRecord) -> None:
        # Two intervals of the warm-up and the first half of the window have been reported.
        bench.backend.wait_for(lambda: len(record.intervals) > HALF_S)
        os.kill(pids_of(record, "nginx-worker")[0], signal.SIGSTOP)

    assert "of −" in fires(bench.run(steady_trial(), stop).results, "steady", "warning")


def test_a_worker_that_a_perturbation_stops(bench: Bench) -> None:
    stop = SignalNginx(signal="STOP", to="worker", worker=0, resume_after_s=WINDOW_S)
    once = PerturbationSpec(key="p", when=Once(at_s=HALF_S), action=stop)
    spec = steady_trial().model_copy(update={"perturbations": [once]})
    assert "the trial was perturbed" in fires(bench.run(spec).results, "steady", "info")
