"""Nothing that was asked for is lost or done twice, whatever becomes of whole services."""

import asyncio
import os
import signal
from datetime import timedelta
from functools import partial
from typing import Any
from unittest.mock import MagicMock
from uuid import UUID

import pytest
from jobs import kinds_of_jobs as kinds
from jobs.lab import QUICK, Lab
from jobs_service import jobs_service
from ngxlab.core.bus import Bus
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.errors import ApiError
from ngxlab.core.jobs import repository
from ngxlab.core.jobs.kinds import Kind
from ngxlab.core.jobs.waiting import ended
from services import wait_until
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession


def test_what_is_asked_twice_before_it_begins_is_done_once(alone: Lab, lab_settings: Settings) -> None:
    key, first = alone.ask(kinds.plain)
    assert alone.ask(kinds.plain, key) == (key, first)
    with jobs_service(lab_settings, QUICK, kinds.__name__):
        assert alone.over(first).result == {"mark": key}
        assert len(alone.begun(key)) == 1


def test_a_job_whose_process_is_killed_is_repeated_at_once(alone: Lab, lab_settings: Settings) -> None:
    long = QUICK | {"ngxlab.core.jobs.repository.LEASE": timedelta(days=1)}
    with jobs_service(lab_settings, long, kinds.__name__):
        _, job_id = alone.ask(kinds.deadly)
        done = alone.over(job_id)
    assert (done.state, done.attempts, done.result) == ("done", 2, {"attempt": 2})


@pytest.mark.parametrize("kind", [kinds.gated, kinds.gated_slow], ids=lambda kind: kind.name)
def test_a_whole_service_that_is_killed_loses_nothing(alone: Lab, lab_settings: Settings, kind: Kind) -> None:
    with jobs_service(lab_settings, QUICK, kinds.__name__) as service:
        key, job_id = alone.ask(kind)
        alone.begun(key)
        service.kill()
    alone.backend.operator(partial(_lapse, job_id))
    with jobs_service(lab_settings, QUICK, kinds.__name__):
        alone.begun(key, 2)
        alone.go(key)
        assert alone.over(job_id).attempts == 2


async def _lapse(job_id: UUID, session: AsyncSession) -> None:
    await session.execute(text("UPDATE job SET lease_until = now() WHERE id = :id"), {"id": job_id})


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
    with jobs_service(lab_settings, QUICK, kinds.__name__):
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
    with jobs_service(lab_settings, QUICK):
        wait_until(lambda: person.client.get(f"/runs/{run_id}").json()["verdict"] is not None, "the verdict")
        assert person.client.get(f"/runs/{run_id}/report").status_code == 200


async def _impatient(session: AsyncSession, job_ids: list[UUID]) -> Any:
    return await ended(session, job_ids, 0.2)


def test_a_service_that_is_told_to_end_does_so_whatever_its_jobs_wait_for(alone: Lab, lab_settings: Settings) -> None:
    with jobs_service(lab_settings, QUICK, kinds.__name__) as service:
        key, _ = alone.ask(kinds.gated)
        alone.begun(key)
        os.kill(service.pid, signal.SIGQUIT)
        wait_until(service.has_ended, "its end", 15)
