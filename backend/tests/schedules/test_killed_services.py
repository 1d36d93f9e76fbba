"""Services that fire schedules are killed meanwhile: each time starts its run, and once."""

import os
import signal
from datetime import timedelta

from harness import Backend
from jobs_service import jobs_service
from schedules.scheduled import DAILY
from services import wait_until
from serving import own_database, serving
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_SCHEDULES = 15
_SHORT_LEASE = {"ngxlab.core.jobs.repository.LEASE": timedelta(seconds=2)}
_STARTED = text(
    "SELECT count(*) FILTER (WHERE outcome = 'started') FROM schedule "
    "LEFT JOIN schedule_occurrence ON schedule_id = schedule.id GROUP BY schedule.id"
)


def _started(backend: Backend) -> list[int]:
    """How many runs each schedule has started."""

    async def counted(session: AsyncSession) -> list[int]:
        return list(await session.scalars(_STARTED))

    found: list[int] = backend.operator(counted)
    return found


def test_one_of_two_services_is_killed(postgresql_url: str) -> None:
    with own_database(postgresql_url) as settings, serving(settings, alone=True) as backend:
        person, agent = backend.person(), backend.agent()
        body = {"timing": DAILY, "run": {"host_id": str(agent.host_id)}}
        for _ in range(_SCHEDULES):
            path = f"/experiments/{person.experiment()['id']}/schedules"
            person.client.post(path, json=body).raise_for_status()

        def started() -> list[int]:
            agent.beat().raise_for_status()
            return _started(backend)

        with jobs_service(settings, _SHORT_LEASE) as first, jobs_service(settings, _SHORT_LEASE):
            due = text("UPDATE schedule SET next_at = now() - interval '30 minutes'")
            backend.operator(lambda session: session.execute(due))
            wait_until(lambda: any(started()), "the first run")
            os.killpg(first.pid, signal.SIGKILL)
            with jobs_service(settings, _SHORT_LEASE):
                wait_until(lambda: all(started()), "the last run", 120)
        assert started() == [1] * _SCHEDULES
        runs = person.client.get("/runs", params={"limit": 200}).raise_for_status().json()
        assert runs["total"] == len({run["experiment_id"] for run in runs["items"]}) == _SCHEDULES
