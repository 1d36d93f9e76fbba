"""What a jobs service does with its jobs, whatever becomes of the processes that work on them."""

import os
from collections.abc import Iterator
from functools import partial
from uuid import UUID, uuid4

import pytest
from jobs import kinds_of_jobs as kinds
from jobs.lab import QUICK, Lab
from jobs_service import jobs_service
from ngxlab.core.config import Settings
from ngxlab.core.database import database_of
from ngxlab.core.jobs import repository
from services import wait_until
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession


@pytest.fixture(scope="module")
def lab(alone: Lab, lab_settings: Settings) -> Iterator[Lab]:
    with jobs_service(lab_settings, QUICK, kinds.__name__):
        yield alone


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
    with jobs_service(lab_settings, QUICK, kinds.__name__):
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


def test_only_one_of_several_beats_fires(lab: Lab, lab_settings: Settings) -> None:
    held = (
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = :presence "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )

    async def count(session: AsyncSession) -> int:
        return int(await session.scalar(text(held), {"presence": repository.PRESENCE}) or 0)

    with jobs_service(lab_settings, QUICK, kinds.__name__):
        asked = [lab.ask(kinds.gated) for _ in range(2 * lab_settings.jobs_processes)]
        working = {os.getpgid(lab.begun(key)[0]) for key, _ in asked}
        assert len(working) == 2, "each process of both services has a job, so both have a beat"
        assert lab.backend.operator(count) == 1
        for key, job_id in asked:
            lab.go(key)
            lab.over(job_id)
