"""Redis gives agents and coordinator what they need and no more, and nothing in it ends them."""

import base64
import json
import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from uuid import UUID, uuid4

import pytest
import redis as redis_client
from ngxlab_contracts.broker import (
    COORDINATOR_QUEUE,
    COORDINATOR_USER,
    TASK_DRIVE_RUN,
    broker_password,
    host_queue,
    host_user,
    with_user,
)
from ngxlab_worker.core.hints import read_hint
from ngxlab_worker.tasks import make_app
from redis.exceptions import ResponseError
from tests.support.agents import Start, StartAgent, send_trial
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import credential
from tests.support.redis import Redis
from tests.support.specs import trial_spec

HOST = UUID(int=7)
OTHER_QUEUE = host_queue(UUID(int=8))
DANGEROUS = [
    "CONFIG GET requirepass",
    "CONFIG SET maxclients 1",
    "SLAVEOF 127.0.0.1 1",
    "REPLICAOF 127.0.0.1 1",
    "FLUSHALL",
    "FLUSHDB",
    "KEYS *",
    "SCAN 0",
    "EVAL return(1) 0",
    "FUNCTION LIST",
    "SCRIPT FLUSH",
    "DEBUG SLEEP 0",
    "SHUTDOWN NOSAVE",
    "ACL LIST",
    "ACL SETUSER default on",
    "CLIENT LIST",
    "CLIENT KILL TYPE normal",
    "MONITOR",
    "INFO",
    "MODULE LIST",
    "SAVE",
    "PUBLISH ngxlab:live:x y",
    "SUBSCRIBE ngxlab:live:x",
    "PSUBSCRIBE *",
    "GET ngxlab:throttle:account:x",
    "DEL ngxlab:throttle:account:x",
    "SET anything 1",
]
OF_A_HOST = [
    f"BRPOP {OTHER_QUEUE} 1",
    f"BRPOP {COORDINATOR_QUEUE} 1",
    f"LPUSH {OTHER_QUEUE} x",
    f"LPUSH {host_queue(HOST)} x",
    f"LPUSH {COORDINATOR_QUEUE} x",
    f"LLEN {OTHER_QUEUE}",
]
OF_THE_COORDINATOR = [f"BRPOP {OTHER_QUEUE} 1", f"DEL {OTHER_QUEUE}", f"LRANGE {OTHER_QUEUE} 0 -1"]


def logged_in(redis: Redis, user: str) -> "redis_client.Redis":
    return redis_client.Redis.from_url(with_user(redis.url, user, broker_password("secret")))


@pytest.mark.parametrize("order", DANGEROUS + OF_A_HOST)
def test_a_host_may_not(order: str, redis: Redis) -> None:
    with (
        logged_in(redis, host_user(HOST)) as client,
        pytest.raises(ResponseError, match=r"no permissions|not allowed"),
    ):
        client.execute_command(*order.split())


@pytest.mark.parametrize("order", DANGEROUS + OF_THE_COORDINATOR)
def test_the_coordinator_may_not(order: str, redis: Redis) -> None:
    with (
        logged_in(redis, COORDINATOR_USER) as client,
        pytest.raises(ResponseError, match=r"no permissions|not allowed"),
    ):
        client.execute_command(*order.split())


def celery_message(task: str, argument: object, **headers: object) -> bytes:
    """A message as Celery writes it."""
    body = base64.b64encode(json.dumps([[argument], {}, {}]).encode()).decode()
    properties = {"delivery_tag": "1", "body_encoding": "base64", "delivery_info": {"exchange": "", "routing_key": ""}}
    return json.dumps(
        {
            "body": body,
            "content-type": "application/json",
            "content-encoding": "utf-8",
            "headers": {"lang": "py", "task": task, "id": str(uuid4()), **headers},
            "properties": properties,
        }
    ).encode()


BAD_MESSAGES = {
    "empty": b"",
    "not JSON": b"GET / HTTP/1.1",
    "not UTF-8": b"\xff\xfe\x00",
    "a number": b"7",
    "no fields": b"{}",
    "a list": b"[]",
    "deeply nested": b"[" * 8_000,
    "deeply nested body": json.dumps(
        {"body": base64.b64encode(b"[" * 8_000).decode(), "headers": {"task": TASK_DRIVE_RUN}}
    ).encode(),
    "gigantic": b'{"body": "' + b"x" * (32 << 20) + b'"}',
    "unknown task": celery_message("os.system", str(uuid4())),
    "no id": celery_message(TASK_DRIVE_RUN, "../../etc/passwd"),
    "an object for an id": celery_message(TASK_DRIVE_RUN, {"a": 1}),
    "bad expiry": celery_message(TASK_DRIVE_RUN, str(uuid4()), expires="soon"),
    "pickle": celery_message(TASK_DRIVE_RUN, str(uuid4())).replace(b'"W', b'"\\u0000W'),
    "two ids": json.dumps(
        {"body": base64.b64encode(b'[["a", "b"], {}, {}]').decode(), "headers": {"task": TASK_DRIVE_RUN}}
    ).encode(),
    "a number with 5,000 digits": b'{"body": ' + b"9" * 5_000 + b"}",
}


@pytest.mark.parametrize("message", BAD_MESSAGES.values(), ids=BAD_MESSAGES.keys())
def test_what_is_no_hint_is_not_read(message: bytes) -> None:
    assert read_hint(message) is None


def test_nothing_of_a_hint_is_passed_on_but_its_task_and_its_id() -> None:
    run_id = str(uuid4())
    extra = {"retries": 9, "stamps": {"a": "b"}, "timelimit": [1, 1], "reply_to": "elsewhere", "group": "g"}
    hint = read_hint(celery_message(TASK_DRIVE_RUN, run_id, **extra))
    assert hint is not None
    assert hint["headers"].keys() == {"lang", "id", "root_id", "task", "expires"}
    assert json.loads(base64.b64decode(hint["body"]))[:2] == [[run_id], {}]


def test_an_agent_drops_what_is_no_hint(start_agent: StartAgent, backend: FakeBackend, redis: Redis) -> None:
    agent = start_agent()
    for message in BAD_MESSAGES.values():
        redis.command("LPUSH", host_queue(backend.host_id), message)
    record = send_trial(backend, redis)
    backend.wait_for(lambda: record.end)
    assert agent.poll() is None
    assert redis.command("LLEN", host_queue(backend.host_id)) == 0


def test_a_coordinator_drops_what_is_no_hint(
    ngxlab: Start, start_agent: StartAgent, backend: FakeBackend, redis: Redis
) -> None:
    start_agent()
    coordinator = ngxlab("coordinator")
    for message in BAD_MESSAGES.values():
        redis.command("LPUSH", COORDINATOR_QUEUE, message)
    record = backend.add(trial_spec(), auto_start=False)
    backend.plan = [record.spec.trial_id]
    with make_app(redis.url) as app:
        app.send_task(TASK_DRIVE_RUN, args=[str(record.spec.run_id)], queue=COORDINATOR_QUEUE)
    backend.wait_for(lambda: record.end and backend.holder is None, timeout_s=60)
    assert coordinator.poll() is None


def read_only(redis: Redis) -> Callable[[], None]:
    redis.command("REPLICAOF", "127.0.0.1", "1")
    return lambda: redis.command("REPLICAOF", "NO", "ONE")


def without_users(redis: Redis) -> Callable[[], None]:
    redis.command("ACL", "DELUSER", host_user(HOST))
    return partial(redis.admit_host, HOST, "secret")


def restarted(redis: Redis) -> Callable[[], None]:
    """Away, then there without its users for a while."""
    redis.stop()
    redis.start(with_users=False)
    return partial(redis.admit_host, HOST, "secret")


@pytest.mark.parametrize("trouble", [read_only, without_users, restarted])
def test_an_agent_outlives_a_redis_that_refuses_it(
    trouble: Callable[[Redis], Callable[[], None]], start_agent: StartAgent, backend: FakeBackend, redis: Redis
) -> None:
    agent = start_agent()
    first = send_trial(backend, redis)
    backend.wait_for(lambda: first.end)
    assert backend.heartbeats[-1].broker_trouble is None
    repair = trouble(redis)
    backend.wait_for(lambda: backend.heartbeats[-1].broker_trouble, timeout_s=60)
    assert agent.poll() is None
    repair()
    record = send_trial(backend, redis)
    backend.wait_for(lambda: record.end, timeout_s=60)
    backend.wait_for(lambda: not backend.heartbeats[-1].broker_trouble, timeout_s=60)
    assert agent.poll() is None


def test_a_host_is_alive_before_its_broker_is(
    ngxlab: Start, agent_folder: Path, backend: FakeBackend, redis: Redis
) -> None:
    redis.stop()
    credential(backend).save(agent_folder)
    agent = ngxlab("agent")
    backend.wait_for(lambda: backend.heartbeats and backend.heartbeats[-1].broker_trouble)
    told = backend.heartbeats[-1].broker_trouble
    assert told is not None
    assert "refused" in told.reason
    backend.wait_for(lambda: (backend.heartbeats[-1].broker_trouble or told).for_s > told.for_s)
    redis.start()
    record = send_trial(backend, redis)
    backend.wait_for(lambda: record.end, timeout_s=60)
    backend.wait_for(lambda: not backend.heartbeats[-1].broker_trouble, timeout_s=60)
    assert agent.poll() is None


def test_a_coordinator_says_whether_it_reaches_redis(ngxlab: Start, backend: FakeBackend, redis: Redis) -> None:
    reached_s, away_s = 6, 9  # Redis is asked every five seconds
    ngxlab("coordinator")
    backend.wait_for(lambda: backend.pulses and backend.pulses[-1].broker_age_s < reached_s, timeout_s=60)
    redis.stop()
    backend.wait_for(lambda: backend.pulses[-1].broker_age_s > away_s, timeout_s=60)
    redis.start()
    backend.wait_for(lambda: backend.pulses[-1].broker_age_s < reached_s, timeout_s=60)


def test_a_coordinator_touches_its_heartbeat_file_with_every_answered_pulse(
    ngxlab: Start, backend: FakeBackend, tmp_path: Path
) -> None:
    beat = tmp_path / "heartbeat"
    ngxlab("coordinator", NGXLAB_HEARTBEAT_FILE=str(beat))
    backend.wait_for(beat.exists, timeout_s=60)
    os.utime(beat, (1, 1))
    backend.wait_for(lambda: beat.stat().st_mtime > 1, timeout_s=60)


def certificate(folder: Path) -> tuple[Path, Path]:
    """A key, and a certificate for 127.0.0.1 that is its own authority."""
    key, made = folder / "redis.key", folder / "redis.crt"
    order = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=redis", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", str(key), "-out", str(made)]  # fmt: skip
    subprocess.run(order, check=True, capture_output=True)
    return key, made


def test_an_agent_reaches_redis_over_tls_and_no_other_server(
    ngxlab: Start, agent_folder: Path, backend: FakeBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, made = certificate(tmp_path)
    redis = Redis(certificate=(key, made))
    try:
        redis.admit_host(backend.host_id, "secret")
        backend.broker_url = redis.url
        assert redis.url.startswith("rediss://")
        credential(backend).save(agent_folder)
        doubtful = ngxlab("agent")  # it does not know the authority
        backend.wait_for(lambda: backend.heartbeats)
        record = send_trial(backend, redis)
        beats = len(backend.heartbeats)
        backend.wait_for(lambda: len(backend.heartbeats) > beats + 3)
        assert record.claims == 0
        doubtful.kill()
        doubtful.wait()
        ngxlab("agent", NGXLAB_BROKER_CA=str(made))
        backend.wait_for(lambda: record.end, timeout_s=60)
    finally:
        redis.close()
