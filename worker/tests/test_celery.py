"""Agent and coordinator as they really run: Celery processes on a real Redis, against the fake backend."""

import os
import signal
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from ngxlab_contracts.broker import COORDINATOR_QUEUE, TASK_DRIVE_RUN, TASK_TEST_CONFIG, host_queue
from ngxlab_contracts.config_test import ArmConfig, ConfigTestSpec
from ngxlab_contracts.hosts import HostCaps
from ngxlab_worker.sandbox.process import children
from ngxlab_worker.tasks import make_app
from tests.support.agents import Start, StartAgent, send_trial
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import credential, processes_in, wait_until
from tests.support.redis import Redis
from tests.support.specs import trial_spec


def test_a_token_may_come_through_standard_input(ngxlab: Start, agent_folder: Path, backend: FakeBackend) -> None:
    assert ngxlab("host", "join", backend.url, "--name", "a", given=b"bad\n").wait() == 1
    assert ngxlab("host", "join", backend.url, "--name", "a", given=b"good\n").wait() == 0
    assert (agent_folder / "credential.json").exists()


def test_joining_and_a_first_heartbeat(ngxlab: Start, agent_folder: Path, backend: FakeBackend) -> None:
    assert ngxlab("host", "join", backend.url, "bad", "--name", "a").wait() == 1
    assert not (agent_folder / "credential.json").exists()
    assert ngxlab("host", "join", backend.url, "good", "--name", "a").wait() == 0
    assert (agent_folder / "credential.json").stat().st_mode & 0o777 == 0o600
    assert "# max_connections" in (agent_folder / "caps.toml").read_text()

    ngxlab("agent")
    backend.wait_for(lambda: len(backend.heartbeats) >= 2)
    first, second = backend.heartbeats[:2]
    assert first.inventory is not None
    assert "isolation" in {capability.name for capability in first.inventory.capabilities}
    assert (second.inventory, second.agent_instance) == (None, first.agent_instance)
    assert second.clock_offset_us == pytest.approx(0, abs=50_000)


def test_an_agent_collects_readings_for_as_long_as_the_backend_says(
    start_agent: StartAgent, backend: FakeBackend, redis: Redis
) -> None:
    backend.collect_s = 60
    start_agent()
    record = send_trial(backend, redis, measure_s=4)
    backend.wait_for(lambda: record.end)
    assert record.end is not None
    assert record.end.outcome == "completed", record.end.reason
    # Whatever is told at once takes the readings before it along: none of these batches was sent for its readings.
    assert all(batch.events for batch in record.batches)
    assert record.frames_of("cpu") > 4


def test_an_agent_runs_trials_and_survives_its_broker(
    start_agent: StartAgent, backend: FakeBackend, redis: Redis
) -> None:
    start_agent()
    for outage in (False, True):
        if outage:
            redis.stop()
            redis.start()
        record = send_trial(backend, redis)
        backend.wait_for(partial(getattr, record, "end"))
        assert record.end is not None
        assert record.end.outcome == "completed", record.end.reason


@pytest.mark.parametrize("victim", ["main", "pool"])
def test_killing_an_agent_ends_its_trial(
    start_agent: StartAgent,
    agent_folder: Path,
    backend: FakeBackend,
    redis: Redis,
    victim: str,
) -> None:
    agent = start_agent()
    record = send_trial(backend, redis, measure_s=60)
    backend.wait_for(lambda: "measure" in record.phases)
    os.kill(agent.pid if victim == "main" else children(agent.pid)[-1], signal.SIGKILL)
    wait_until(lambda: processes_in(agent_folder / "trials") == [], timeout_s=1.0)
    if victim == "main":
        agent.wait()
        start_agent()
    backend.wait_for(lambda: record.end)
    assert record.end is not None
    assert record.end.code == "agent-restarted"
    wait_until(lambda: not list((agent_folder / "trials").iterdir()))


def test_a_stopped_agent_ends_its_trial_first(
    start_agent: StartAgent, agent_folder: Path, backend: FakeBackend, redis: Redis
) -> None:
    agent = start_agent()
    record = send_trial(backend, redis, measure_s=60)
    backend.wait_for(lambda: "measure" in record.phases)
    agent.terminate()
    agent.wait(60)
    assert record.end is not None
    assert record.end.code == "agent-stopped"
    assert processes_in(agent_folder / "trials") == []


def test_a_check_of_configurations_is_made_and_answered(
    start_agent: StartAgent, agent_folder: Path, backend: FakeBackend, redis: Redis
) -> None:
    start_agent()
    nginx = trial_spec().nginx
    assert nginx is not None
    broken = nginx.model_copy(update={"config": nginx.config + "daemon off;\n"})
    asked = ConfigTestSpec(
        test_id=uuid4(), arms=[ArmConfig(arm="good", nginx=nginx), ArmConfig(arm="broken", nginx=broken)]
    )
    backend.config_tests[asked.test_id] = asked
    with make_app(redis.url) as app:
        app.send_task(TASK_TEST_CONFIG, args=[str(asked.test_id)], queue=host_queue(backend.host_id))
    backend.wait_for(lambda: asked.test_id in backend.config_test_results)
    result = backend.config_test_results[asked.test_id]
    assert [verdict.accepted for verdict in result.verdicts] == [True, False]
    assert result.verdicts[1].findings[0].line == nginx.config.count("\n") + 1
    assert list((agent_folder / "config-tests").iterdir()) == []


def test_the_owners_caps_bind_the_agent_whatever_the_backend_asks(
    start_agent: StartAgent, agent_folder: Path, backend: FakeBackend, redis: Redis
) -> None:
    agent = start_agent()
    assert backend.heartbeats[0].inventory is not None
    known = backend.heartbeats[0].inventory.caps
    assert known.allow_targets is not None  # the networks that hold, though the owner named none
    assert known.model_copy(update={"allow_targets": None}) == HostCaps()
    (agent_folder / "caps.toml").write_text("max_connections = 5\n")
    os.kill(agent.pid, signal.SIGHUP)
    backend.wait_for(lambda: any(beat.inventory for beat in backend.heartbeats[1:]))
    told = next(beat.inventory for beat in backend.heartbeats[1:] if beat.inventory)
    assert told.caps.max_connections == 5

    record = send_trial(backend, redis)
    backend.wait_for(lambda: record.end)
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("failed", "beyond-caps")
    assert "at most 5" in record.end.reason
    assert record.phases == {}


def test_an_agent_with_a_broken_caps_file_does_not_start(
    ngxlab: Start, agent_folder: Path, backend: FakeBackend
) -> None:
    credential(backend).save(agent_folder)
    (agent_folder / "caps.toml").write_text("max_connections = lots\n")
    assert ngxlab("agent").wait() == 1


def test_a_second_agent_on_the_same_folder_is_refused(start_agent: StartAgent, ngxlab: Start) -> None:
    start_agent()
    assert ngxlab("agent").wait() == 1


def test_a_coordinator_drives_a_run_to_its_end(
    start_agent: StartAgent, ngxlab: Start, backend: FakeBackend, redis: Redis
) -> None:
    start_agent()
    ngxlab("coordinator")
    records = [backend.add(trial_spec(), auto_start=False) for _ in range(2)]
    backend.plan = [record.spec.trial_id for record in records]
    run_id = records[0].spec.run_id
    with make_app(redis.url) as app:
        for _ in range(2):  # delivered twice: the second finds the lease taken and leaves
            app.send_task(TASK_DRIVE_RUN, args=[str(run_id)], queue=COORDINATOR_QUEUE)
    backend.wait_for(lambda: backend.holder is not None)
    backend.wait_for(lambda: "measure" in records[0].phases)
    backend.stop()
    backend.start()
    backend.wait_for(lambda: records[1].end and backend.holder is None)
    assert [record.end.outcome for record in records if record.end] == ["completed", "completed"]
    assert [record.claims for record in records] == [1, 1]
