"""Connections to a real nginx: held, counted exactly by both sides, and spread over processes where they must be."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.core.clock import Offset, monotonic_us
from ngxlab_worker.engines import GeneratorContext, GeneratorError, Target
from ngxlab_worker.engines.idle_hold import IdleHoldEngine
from ngxlab_worker.engines.idle_hold.obstacles import connections_a_process, descriptor_limit
from ngxlab_worker.sandbox import Isolation, Sandbox, resolve_run_as
from tests.support.fake_backend import FakeBackend
from tests.support.holding import idle_stream
from tests.support.hosts import make_agent, wait_until
from tests.support.odd_server import OddServer, keeps
from tests.support.records import TrialRecord, now_us
from tests.support.specs import CONFIG, NGINX, trial_spec
from tests.support.trials import assert_completed, assert_nothing_left, nginx_total, result_of

HELD = 2_000
ROOMY = CONFIG.replace("worker_connections 1024", "worker_connections 4096").replace(
    "listen 127.0.0.1:@@http_port@@;", "listen 127.0.0.1:@@http_port@@; listen 127.0.0.1:@@http_port.2@@;"
)


def test_nginx_and_the_holder_count_the_same(agent_folder: Path, backend: FakeBackend, user: str | None) -> None:
    agent = make_agent(agent_folder, backend, user, Isolation.NAMESPACE)
    agent.shared.set_offset(Offset(now_us() - monotonic_us(), 0))
    stream = idle_stream(HELD, connect_per_s=20_000, think_max_s=0.5)
    nginx = NginxSpec(binary=NGINX, config=ROOMY, workers=2, ports=2)
    spec = trial_spec(warmup_s=2, measure_s=2).model_copy(update={"streams": [stream], "nginx": nginx})
    record = backend.add(spec)
    agent.execute(record.spec.trial_id)

    assert_completed(record)
    totals = result_of(record).totals
    assert totals is not None
    assert (totals.connects, totals.reconnects, totals.connections_max) == (HELD, 0, HELD)
    assert totals.completed == sum(interval.count for interval in record.intervals)
    assert totals.completed <= nginx_total(record) <= totals.sent
    assert totals.sent - totals.completed == totals.unfinished
    accepted = _readings(record, "nginx_connections_accepted_total")
    assert accepted[-1] - accepted[0] == HELD  # the poll's own connection is older
    assert totals.own_memory_bytes is not None
    assert totals.own_memory_bytes / HELD <= 300
    assert_nothing_left(agent)


def _readings(record: TrialRecord, name: str) -> list[float]:
    """All known values of a series without labels, in order."""
    columns = {
        layout.id: [series.name for series in layout.series].index(name)
        for batch in record.batches
        for layout in batch.layouts
        if name in [series.name for series in layout.series]
    }
    frames = [frame for batch in record.batches for frame in batch.frames if frame.layout in columns]
    values = [frame.values[columns[frame.layout]] for frame in frames]
    return [value for value in values if value is not None]


def _in_time_wait(port: int) -> int:
    """Sockets that wait for late segments from this port of loopback (proc(5), /proc/net/tcp: state 6)."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(words[2].endswith(f":{port:04X}") and words[3] == "06" for words in lines)


def test_few_descriptors_make_many_processes(agent_folder: Path, user: str | None) -> None:
    """In a process of its own, since its limit cannot be raised again."""
    with OddServer(keeps) as port:
        command = ["prlimit", "--nofile=200:200", sys.executable, "-m", "tests.support.holding"]
        command += [str(agent_folder), str(port), "500", user or ""]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        left = _in_time_wait(port)
    assert done.returncode == 0, done.stderr
    totals = json.loads(done.stdout)
    assert totals["processes"] == 5  # 200 x 0.9 - 64 = 116 each
    assert (totals["connections_max"], totals["reconnects"], totals["errors_connect"]) == (500, 0, 0)
    assert left == 0  # they end by a reset


def test_a_process_that_is_lost_ends_the_stream(agent_folder: Path, user: str | None) -> None:
    fit = connections_a_process(descriptor_limit())
    if fit is None or fit > 1_000_000:
        pytest.skip("one process holds any number here")
    context = GeneratorContext(
        Target("127.0.0.1", (1,)), Sandbox(Isolation.NAMESPACE, resolve_run_as(user)), agent_folder, 60
    )
    spec = idle_stream(min(fit + 1, 1_000_000), connect_per_s=0.1)
    generator = IdleHoldEngine().prepare(spec, context, lambda *_: None)
    try:
        first, second = generator.pids
        generator.release(now_us())
        os.kill(second, signal.SIGKILL)
        with pytest.raises(GeneratorError, match="one of the processes ended early") as lost:
            wait_until(generator.check)
        assert lost.value.code == "generator-died"
    finally:
        generator.kill()
    assert not Path(f"/proc/{first}").exists()
