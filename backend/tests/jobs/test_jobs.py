"""Nothing that was asked for is lost or done twice, whatever becomes of who works on it."""

import asyncio
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from unittest.mock import MagicMock
from uuid import UUID, uuid4

import pytest
from harness import Backend
from jobs import kinds_of_jobs as kinds
from jobs_service import jobs_service
from ngxlab.core.bus import Bus
from ngxlab.core.config import Settings
from ngxlab.core.database import Database, database_of
from ngxlab.core.errors import ApiError
from ngxlab.core.jobs import repository
from ngxlab.core.jobs.kinds import Kind
from ngxlab.core.jobs.repository import Job
from ngxlab.core.jobs.waiting import ended
from redis import Redis
from services import wait_until
from serving import own_database, serving
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_QUICK = {"ngxlab.core.jobs.execution._REPEATED_AFTER": timedelta(seconds=0)}


@dataclass
class Lab:
    backend: Backend
    redis: Redis

    def ask(self, kind: Kind, key: str | None = None) -> tuple[str, UUID]:
        key = key or uuid4().hex

        async def work(session: AsyncSession) -> UUID:
            return await kind.ask(session, key, mark=key)

        asked: UUID = self.backend.operator(work)
        return key, asked

    def job(self, job_id: UUID) -> Job:
        async def work(session: AsyncSession) -> Job:
            return await session.get_one(Job, job_id)

        found: Job = self.backend.operator(work)
        return found

    def over(self, job_id: UUID) -> Job:
        wait_until(lambda: self.job(job_id).state in {"done", "failed"}, "the end of a job")
        return self.job(job_id)

    def begun(self, key: str, times: int = 1) -> list[int]:
        """The processes that have begun with it."""
        wait_until(lambda: int(self.redis.llen(f"test:{key}")) >= times, "the beginning of a job")
        return [int(one) for one in self.redis.lrange(f"test:{key}", 0, -1)]

    def go(self, key: str) -> None:
        self.redis.rpush(f"test:{key}:go", 1)


@pytest.fixture(scope="module")
def lab_settings(postgresql_url: str) -> Iterator[Settings]:
    with own_database(postgresql_url) as settings:
        yield settings


@pytest.fixture(scope="module")
def alone(lab_settings: Settings) -> Iterator[Lab]:
    """A backend without a jobs service."""
    with (
        serving(lab_settings, alone=True) as backend,
        Redis.from_url(lab_settings.redis_url.get_secret_value()) as redis,
    ):
        yield Lab(backend, redis)


@pytest.fixture
def lab(alone: Lab, lab_settings: Settings) -> Iterator[Lab]:
    with jobs_service(lab_settings, _QUICK, kinds.__name__):
        yield alone


def test_what_is_asked_twice_before_it_begins_is_done_once(alone: Lab, lab_settings: Settings) -> None:
    key, first = alone.ask(kinds.plain)
    assert alone.ask(kinds.plain, key) == (key, first)
    with jobs_service(lab_settings, _QUICK, kinds.__name__):
        assert alone.over(first).result == {"mark": key}
        assert len(alone.begun(key)) == 1


def test_what_is_asked_while_it_runs_is_done_again_after_it(lab: Lab) -> None:
    key, first = lab.ask(kinds.gated)
    lab.begun(key)
    _, second = lab.ask(kinds.gated, key)
    assert second != first
    assert lab.job(second).state == "queued"
    lab.go(key)
    lab.over(first)
    lab.begun(key, 2)
    lab.go(key)
    assert lab.over(second).state == "done"
    assert len(lab.begun(key)) == 2


def test_two_services_do_a_job_once(lab: Lab, lab_settings: Settings) -> None:
    with jobs_service(lab_settings, _QUICK, kinds.__name__):
        asked = [lab.ask(kinds.plain) for _ in range(20)]
        for _, job_id in asked:
            for _ in range(3):  # more messages than jobs
                lab.backend.operator(partial(_hint, job_id))
        for key, job_id in asked:
            assert lab.over(job_id).attempts == 1
            assert len(lab.begun(key)) == 1


async def _hint(job_id: UUID, session: AsyncSession) -> None:
    await database_of(session).bus.send_task("ngxlab.job", job_id, kinds.plain.queue, time_limit=30)


def test_a_lost_message_is_sent_again(lab: Lab) -> None:
    key = uuid4().hex

    async def without_message(session: AsyncSession) -> UUID:
        return await repository.ask(session, kinds.plain.queue, kinds.plain.name, key, {"mark": key})

    assert lab.over(lab.backend.operator(without_message)).state == "done"
    assert len(lab.begun(key)) == 1


def test_a_job_whose_process_is_killed_is_repeated(lab: Lab) -> None:
    _, job_id = lab.ask(kinds.deadly)
    done = lab.over(job_id)
    assert (done.state, done.attempts, done.result) == ("done", 2, {"attempt": 2})


@pytest.mark.parametrize("kind", [kinds.gated, kinds.gated_slow], ids=lambda kind: kind.name)
def test_a_whole_service_that_is_killed_loses_nothing(alone: Lab, lab_settings: Settings, kind: Kind) -> None:
    shorter = _QUICK | {"ngxlab.core.jobs.repository.LEASE": timedelta(seconds=2)}
    with jobs_service(lab_settings, shorter, kinds.__name__) as service:
        key, job_id = alone.ask(kind)
        alone.begun(key)
        os.killpg(service.pid, signal.SIGKILL)
    with jobs_service(lab_settings, _QUICK, kinds.__name__):
        alone.begun(key, 2)
        alone.go(key)
        assert alone.over(job_id).attempts == 2


def test_a_job_that_hangs_is_killed_and_says_so(lab: Lab) -> None:
    key, job_id = lab.ask(kinds.hanging)
    failed = lab.over(job_id)
    assert (failed.state, failed.attempts) == ("failed", 3)
    assert failed.error == "It was killed, since it took longer than 2 s"
    assert len(lab.begun(key)) == 3
    assert lab.over(lab.ask(kinds.plain)[1]).state == "done", "others go on"


def test_an_accident_is_repeated_and_a_refusal_is_not(lab: Lab) -> None:
    key, job_id = lab.ask(kinds.failing)
    failed = lab.over(job_id)
    assert (failed.state, failed.error) == ("failed", "ValueError: no luck")
    assert len(lab.begun(key)) == 3
    key, job_id = lab.ask(kinds.refusing)
    assert (lab.over(job_id).error, len(lab.begun(key))) == ("Not like this.", 1)


def test_who_has_lost_the_lease_stores_nothing(lab: Lab) -> None:
    key, job_id = lab.ask(kinds.robbed)
    lab.begun(key)
    wait_until(lambda: lab.job(job_id).owner == "another", "the loss")
    assert lab.over(lab.ask(kinds.plain)[1]).state == "done"

    async def stored(session: AsyncSession) -> int:
        query = text("SELECT count(*) FROM discarded_trial WHERE trial_id = :id")
        return int(await session.scalar(query, {"id": job_id}) or 0)

    assert lab.backend.operator(stored) == 0
    assert lab.job(job_id).state == "running"


def test_slow_jobs_leave_room_for_those_that_pages_wait_for(lab: Lab) -> None:
    slow = [lab.ask(kinds.gated_slow)[0] for _ in range(4)]
    wait_until(lambda: any(lab.redis.exists(f"test:{key}") for key in slow), "a slow job")
    assert lab.over(lab.ask(kinds.plain)[1]).state == "done"
    assert sum(bool(lab.redis.exists(f"test:{key}")) for key in slow) == 1
    for key in slow:
        lab.go(key)
    for key in slow:
        lab.begun(key)


def test_jobs_that_are_claimed_at_the_same_time_leave_that_room(alone: Lab, lab_settings: Settings) -> None:
    asked = [alone.ask(kinds.gated_slow)[1] for _ in range(8)]

    async def claims() -> list[repository.Claimed]:
        database = Database(lab_settings.database_url.get_secret_value(), MagicMock(Bus))
        owners = [f"here/{number}" for number in range(len(asked))]
        each = [
            repository.claim(database, job_id, queue=kinds.gated_slow.queue, node="here", owner=owner, slots=1)
            for job_id, owner in zip(asked, owners, strict=True)
        ]
        claimed = await asyncio.gather(*each)
        await database.close()
        return [one for one in claimed if one is not None]

    assert len(asyncio.run(claims())) == 1


def _waited(lab: Lab, job_id: UUID, within_s: float = 0.2) -> Any:
    async def work(session: AsyncSession) -> Any:
        return await ended(session, [job_id], within_s)

    return lab.backend.operator(work)


def test_a_page_is_told_what_it_waits_for(alone: Lab, lab_settings: Settings) -> None:
    key, job_id = alone.ask(kinds.gated)
    with pytest.raises(ApiError) as refused:
        _waited(alone, job_id)
    assert refused.value.code == "waits-for-jobs"
    with jobs_service(lab_settings, _QUICK, kinds.__name__):
        alone.begun(key)
        with pytest.raises(ApiError) as refused:
            _waited(alone, job_id)
        assert (refused.value.code, refused.value.headers) == ("still-working", {"Retry-After": "1"})
        alone.go(key)
        assert _waited(alone, job_id, 30)[job_id].state == "done"
        _, refused_id = alone.ask(kinds.refusing)
        with pytest.raises(ApiError) as refused:
            _waited(alone, refused_id, 30)
        assert (refused.value.status, refused.value.code) == (409, "not-like-this")


def test_only_one_of_several_beats_fires(lab: Lab, lab_settings: Settings) -> None:
    held = (
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = :presence "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )

    async def count(session: AsyncSession) -> int:
        return int(await session.scalar(text(held), {"presence": repository.PRESENCE}) or 0)

    with jobs_service(lab_settings, _QUICK, kinds.__name__):
        assert lab.over(lab.ask(kinds.plain)[1]).state == "done"
        assert lab.backend.operator(count) == 1


def test_a_report_says_that_it_waits_for_the_jobs_service_and_appears_once_that_is_back(
    alone: Lab, lab_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ngxlab.runs.results.jobs.ended", _impatient)
    person, agent, coordinator = alone.backend.person(), alone.backend.agent(), alone.backend.coordinator()
    run_id = person.run(agent)["id"]
    coordinator.lease(run_id).raise_for_status()
    while (step := coordinator.next(run_id))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"])
    answer = person.client.get(f"/runs/{run_id}/report")
    assert (answer.status_code, answer.json()["code"]) == (503, "waits-for-jobs")
    assert int(answer.headers["Retry-After"]) > 0
    assert person.client.get(f"/runs/{run_id}").json()["state"] == "completed"
    with jobs_service(lab_settings, _QUICK):
        wait_until(lambda: person.client.get(f"/runs/{run_id}").json()["verdict"] is not None, "the verdict")
        assert person.client.get(f"/runs/{run_id}/report").status_code == 200


async def _impatient(session: AsyncSession, job_ids: list[UUID]) -> Any:
    return await ended(session, job_ids, 0.2)


def test_a_service_that_is_told_to_end_does_so_whatever_its_jobs_wait_for(alone: Lab, lab_settings: Settings) -> None:
    with jobs_service(lab_settings, _QUICK, kinds.__name__) as service:
        key, _ = alone.ask(kinds.gated)
        alone.begun(key)
        service.send_signal(signal.SIGQUIT)
        wait_until(lambda: service.poll() is not None, "its end", 15)
