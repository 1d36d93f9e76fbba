"""The resource that limited a trial, with the limit in it. Others may be at theirs too: the machine may be busy."""

import os
from collections.abc import Callable

from ngxlab_contracts.files import FileSet
from ngxlab_contracts.trials import TrialSpec
from tests.checks.bench import Bench, limited_by
from tests.checks.test_generators import proxied
from tests.support.specs import CONFIG, UPSTREAM_CONFIG, app_server, trial_spec

GZIP = CONFIG.replace("listen 127.0.0.1:@@http_port@@;", "listen 127.0.0.1:@@http_port@@ reuseport;").replace(
    'location / { return 200 "OK\\n"; }',
    "location / { root @@folder@@/files; default_type text/html; gzip on; gzip_comp_level 9; }",
)
SLOW = UPSTREAM_CONFIG.replace("return 200", "limit_rate 100; return 200")


def compressing(workers: int) -> TrialSpec:
    """A response costs nginx a tenth of a second, and others always wait, even if wrk gets no CPU for a while."""
    stream = {"path": "/data/0", "connections": 50, "headers": {"Accept-Encoding": "gzip"}}
    spec = trial_spec(
        config=GZIP.replace("worker_processes 2;", f"worker_processes {workers};"), stream=stream, measure_s=2
    )
    assert spec.nginx is not None
    files = [FileSet(folder="data", count=1, size_bytes=4 << 20, content="html")]
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"workers": workers, "files": files})})


def test_one_worker_that_computes(bench: Bench) -> None:
    assert "the only worker" in limited_by(bench.run(compressing(1)).summary, "one worker")


def test_workers_and_others_that_use_all_cpus(bench: Bench, burn: Callable[[int], None]) -> None:
    for cpu in os.sched_getaffinity(0):
        burn(cpu)
    summary = bench.run(compressing(2)).summary
    assert "each of 2 workers" in limited_by(summary, "all workers")
    assert "a worker waited for one" in limited_by(summary, "all CPUs of the target")


def test_upstream_servers_that_are_slow(bench: Bench) -> None:
    """A second for each response, in which nginx has nothing to do."""
    slow = app_server().model_copy(update={"config": SLOW})
    spec = proxied(upstream_servers=[slow])
    assert "waited for upstream servers" in limited_by(bench.run(spec).summary, "upstream servers")
