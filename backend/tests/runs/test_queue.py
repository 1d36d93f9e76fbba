"""Queued runs cost nothing: hundreds that cannot start neither fill the coordinator's queue nor hold up others."""

import asyncio
import base64
import json
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import processes
import pytest
from harness import Agent, Backend, Person, english
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.hosts.models import Host
from ngxlab.runs.models import Run, RunHost
from ngxlab.runs.queue import repository
from ngxlab.runs.queue.order import QueuedRun
from ngxlab.runs.queue.waiting import current_waits
from ngxlab.runs.watch.lost_trials import hint_at_runs
from ngxlab_contracts.broker import COORDINATOR_QUEUE
from redis import Redis
from services import wait_until
from sqlalchemy import event, select, update
from sqlalchemy.ext.asyncio import AsyncSession

MANY = 500


def _queue_more(backend: Backend, run: dict[str, Any], count: int) -> set[str]:
    """So many runs like ``run``, behind it."""

    async def work(session: AsyncSession) -> set[str]:
        like = await session.get_one(Run, UUID(run["id"]))
        ids = {uuid4() for _ in range(count)}
        copied = ("experiment_id", "experiment_version_id", "state", "state_reason", "seed", "created_by", "blocks")
        for number, run_id in enumerate(ids, 1000):
            session.add(Run(id=run_id, number=number, **{name: getattr(like, name) for name in copied}))
        await session.flush()
        for run_id in ids:
            for entry in like.hosts:
                place = {"slot": entry.slot, "host_id": entry.host_id, "address": entry.address}
                session.add(RunHost(run_id=run_id, inventory=entry.inventory, **place))
        return {str(run_id) for run_id in ids}

    made: set[str] = backend.operator(work)
    return made


def _silence(backend: Backend, agent: Agent) -> None:
    async def work(session: AsyncSession) -> None:
        gone = utcnow() - timedelta(hours=1)
        await session.execute(update(Host).where(Host.id == agent.host_id).values(heartbeat_at=gone))

    backend.operator(work)


def _age_hints(backend: Backend) -> None:
    async def work(session: AsyncSession) -> None:
        hinted = update(Run).where(Run.hinted_at.is_not(None))
        await session.execute(hinted.values(hinted_at=utcnow() - timedelta(minutes=1)))

    backend.operator(work)


def _look(backend: Backend) -> None:
    """One more look of the beat."""

    async def work(session: AsyncSession) -> None:
        database: Database = session.info["ngxlab.database"]
        await hint_at_runs(database)

    backend.operator(work)


def _hints(redis: Redis) -> list[str]:
    bodies = [json.loads(base64.b64decode(json.loads(raw)["body"])) for raw in redis.lrange(COORDINATOR_QUEUE, 0, -1)]
    return [body[0][0] for body in bodies]


@pytest.fixture
def redis(redis_url: str) -> Iterator[Redis]:
    with Redis.from_url(redis_url) as client:
        client.delete(COORDINATOR_QUEUE)
        yield client


def test_only_a_run_that_can_start_is_hinted_at_and_only_once(backend: Backend, redis: Redis) -> None:
    person, away, here = backend.person(), backend.agent(), backend.agent()
    waiting = person.run(away)
    wait_until(lambda: waiting["id"] in _hints(redis), "the hint at a run whose host is there")
    _silence(backend, away)
    redis.delete(COORDINATOR_QUEUE)
    others = _queue_more(backend, waiting, MANY) | {waiting["id"]}
    run = person.run(here)
    behind = _queue_more(backend, run, 20)
    for _ in range(3):
        _age_hints(backend)
        _look(backend)
    hints = _hints(redis)
    assert hints.count(run["id"]) == 1, "a hint that still waits is not repeated"
    assert not (others | behind) & set(hints)

    redis.delete(COORDINATOR_QUEUE)  # as if Redis had lost it
    here.beat()
    _age_hints(backend)
    _look(backend)
    wait_until(lambda: run["id"] in _hints(redis), "the lost hint coming again")

    backend.coordinator().lease(run["id"]).raise_for_status()
    redis.delete(COORDINATOR_QUEUE)
    _look(backend)
    assert run["id"] not in _hints(redis), "a run that is driven needs no hint"


def test_a_run_that_is_queued_while_the_beat_looks_is_not_hinted_at(
    backend: Backend, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = backend.person().run(backend.agent())
    queue, behind = repository.queue, set[str]()

    async def and_then_more(session: AsyncSession) -> list[QueuedRun]:
        found = await queue(session)
        behind.update(await asyncio.to_thread(_queue_more, backend, run, 3))
        return found

    monkeypatch.setattr(repository, "queue", and_then_more)
    _look(backend)
    assert behind
    assert not behind & set(_hints(redis))


def test_a_run_that_waits_says_for_what(backend: Backend) -> None:
    person, away, here = backend.person(), backend.agent(), backend.agent()
    waiting, first, second = person.run(away), person.run(here), person.run(here)
    _silence(backend, away)

    def reason(run: dict[str, Any]) -> str:
        told: str = person.client.get(f"/runs/{run['id']}").json()["progress"]["waiting_for"]
        return told

    assert english(reason(waiting)).startswith(f"Waits for host {away.name}: it is offline since 2")
    assert english(reason(second)) == "Waits for its turn. 1 run is ahead in the queue of its hosts."
    assert english(reason(first)) == "The hosts are free. Waiting for a coordinator."
    person.client.post(f"/hosts/{here.host_id}/drain", json={"draining": True}).raise_for_status()
    assert english(reason(first)) == f"Waits for host {here.name}: it is draining and accepts no new run."
    rows = {row["id"]: english(row["state_reason"]) for row in person.client.get("/runs").json()["items"]}
    assert rows[waiting["id"]] == english(reason(waiting))
    assert rows[first["id"]] == english(reason(first))


def test_a_coordinator_with_one_slot_starts_what_can_start_among_hundreds_that_cannot(
    backend: Backend, redis: Redis
) -> None:
    person, away, here = backend.person(), backend.agent(), backend.agent()
    _end_all_runs(backend)
    waiting = person.run(away)
    _silence(backend, away)
    _queue_more(backend, waiting, MANY)
    with processes.coordinator(backend, slots=1):
        for _ in range(2):
            run = person.run(here)
            wait_until(partial(_is, person, run["id"], "running", here), "the run's start")
            person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
            wait_until(partial(_is, person, run["id"], "cancelled"), "the run's end")
    assert redis.llen(COORDINATOR_QUEUE) == 0


def _is(person: Person, run_id: str, state: str, alive: Agent | None = None) -> bool:
    """``alive``: a host that must not count as offline, however long it takes."""
    if alive is not None:
        alive.beat()
    return bool(person.client.get(f"/runs/{run_id}").json()["state"] == state)


def _end_all_runs(backend: Backend) -> None:
    """What other tests have left would take the slot."""

    async def work(session: AsyncSession) -> None:
        active = select(Run.id).where(Run.state.in_(("queued", "running")))
        await session.execute(update(Run).where(Run.id.in_(active)).values(state="cancelled"))

    backend.operator(work)


def test_the_database_is_asked_no_more_often_for_a_longer_queue(backend: Backend) -> None:
    person, away = backend.person(), backend.agent()
    waiting = person.run(away)

    def statements() -> int:
        async def work(session: AsyncSession) -> int:
            engine, counted = session.get_bind(), []
            event.listen(engine, "before_cursor_execute", lambda *_: counted.append(1))
            await current_waits(session)
            return len(counted)

        count: int = backend.operator(work)
        return count

    before = statements()
    _queue_more(backend, waiting, MANY)
    assert before == statements() == 2
