"""An nginx that meets its limits, loses workers, or does something else than planned."""

import os
import re
import signal
from pathlib import Path

from ngxlab_contracts.files import FileSet
from ngxlab_contracts.perturbations import HttpCall, Once, PerturbationSpec, SignalNginx
from ngxlab_contracts.streams import PathChoice
from ngxlab_contracts.trials import TrialSpec
from tests.checks.bench import Bench, fires, pids_of
from tests.checks.test_generators import proxied
from tests.support.records import TrialRecord
from tests.support.specs import CONFIG, PROXY_CONFIG, trial_spec


def perturbed(action: object, **rest: object) -> TrialSpec:
    once = PerturbationSpec.model_validate({"key": "p", "when": Once(at_s=0.2), "action": action})
    return trial_spec(measure_s=2.5).model_copy(update={"perturbations": [once], **rest})


KILL = SignalNginx(signal="KILL", to="worker", worker=0)


def test_fewer_connections_than_the_load_needs(bench: Bench) -> None:
    few = CONFIG.replace("worker_connections 1024", "worker_connections 16")
    results = bench.run(trial_spec(config=few, stream={"connections": 60})).results
    assert "60 planned" in fires(results, "concurrency", "error")
    assert "worker_connections is 16" in fires(results, "descriptors", "error")
    assert "worker_connections" in fires(results, "nginx-log", "error")


def test_upstream_connections_that_fill_a_worker(bench: Bench) -> None:
    """Each client has another connection to the upstream server: those of the clients alone would leave room."""
    few = PROXY_CONFIG.replace("worker_connections 1024", "worker_connections 64").replace("processes 2", "processes 1")
    spec = proxied(streams=trial_spec(stream={"connections": 30}).streams)
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"config": few, "workers": 1})
    results = bench.run(spec.model_copy(update={"nginx": nginx})).results
    assert "worker_connections is 64" in fires(results, "descriptors", "error")


def with_files(spec: TrialSpec, files: FileSet) -> TrialSpec:
    assert spec.nginx is not None
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"files": [files]})})


def test_files_that_nginx_keeps_open_are_no_connections(bench: Bench) -> None:
    """More of them than worker_connections: that voided every run that asks what the cache is worth."""
    caching = CONFIG.replace("worker_connections 1024", "worker_connections 128").replace(
        'return 200 "OK\\n";', "root @@folder@@/files; open_file_cache max=1000; open_file_cache_min_uses 1;"
    )
    paths = PathChoice(pattern="/data/{n}", count=300)
    spec = trial_spec(config=caching, stream={"connections": 8, "paths": paths})
    files = FileSet(folder="data", count=300, size_bytes=1000)
    result = bench.run(with_files(spec, files)).results["descriptors"]
    assert result.severity == "pass", result
    assert "of them are files that open_file_cache keeps" in result.message
    most = re.search(r"had up to (\d+) descriptors", result.message)
    assert most is not None
    assert int(most[1]) > 128, "it kept more files than it may have connections"


def test_an_upstream_server_without_enough_connections(bench: Bench) -> None:
    spec = proxied(streams=trial_spec(stream={"connections": 40}).streams)
    (server,) = spec.upstream_servers
    few = server.config.replace("worker_connections 1024", "worker_connections 32")
    spec = spec.model_copy(update={"upstream_servers": [server.model_copy(update={"config": few})]})
    said = fires(bench.run(spec).results, "descriptors", "error")
    assert "a worker of an upstream server" in said


def test_a_worker_that_a_perturbation_killed(bench: Bench) -> None:
    assert "a perturbation caused this" in fires(bench.run(perturbed(KILL)).results, "nginx-log", "info")


def test_a_segmentation_fault_does_not_hide_behind_a_killed_worker(bench: Bench) -> None:
    def crash(record: TrialRecord) -> None:
        bench.backend.wait_for(lambda: any(event.kind == "action" for event in record.events))
        os.kill(pids_of(record, "nginx-worker")[1], signal.SIGSEGV)

    said = fires(bench.run(perturbed(KILL), crash).results, "nginx-log", "error")
    assert "exited on signal 11" in said


def test_a_perturbation_that_fails(bench: Bench) -> None:
    spec = perturbed(HttpCall(path="/refused")).model_copy(
        update={
            "nginx": trial_spec(
                config=CONFIG.replace("location / {", "location = /refused { return 503; } location / {")
            ).nginx
        }
    )
    assert "1 of 1 failed" in fires(bench.run(spec).results, "perturbations", "warning")


def test_a_configuration_that_somebody_changes(bench: Bench) -> None:
    def change(record: TrialRecord) -> None:
        bench.wait_for(record, "measure")
        (config,) = Path(bench.agent.settings.trials_root).glob("*/nginx.conf")
        config.write_text(config.read_text() + "\n# another line\n")

    assert "differs" in fires(bench.run(trial_spec(), change).results, "config-live", "error")


def test_connections_that_nginx_closes(bench: Bench) -> None:
    spec = trial_spec(config=CONFIG.replace("keepalive_requests 1000000000", "keepalive_requests 10"))
    assert "connections accepted" in fires(bench.run(spec).results, "keepalive-requests", "warning")
