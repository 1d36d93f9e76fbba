"""Services are killed while schedules are due: each time starts its run, and once."""

import os
import signal
from datetime import timedelta

from harness import Backend
from jobs_service import jobs_service
from schedules.scheduled import DAILY
from services import wait_until
from serving import front, own_database, serving, web_process
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_SCHEDULES = 15
_SHORT_LEASE = {"ngxlab.core.jobs.repository.LEASE": timedelta(seconds=2)}
_STARTED = text(
    "SELECT count(*) FILTER (WHERE outcome = 'started') FROM schedule "
    "LEFT JOIN schedule_occurrence ON schedule_id = schedule.id GROUP BY schedule.id"
)


class Lab:
    """Fifteen schedules of one person, for one host."""

    def __init__(self, backend: Backend) -> None:
        self.backend, self.person, self.agent = backend, backend.person(), backend.agent()
        body = {"timing": DAILY, "run": {"host_id": str(self.agent.host_id)}}
        for _ in range(_SCHEDULES):
            path = f"/experiments/{self.person.experiment()['id']}/schedules"
            self.person.client.post(path, json=body).raise_for_status()

    def all_are_due(self) -> None:
        due = text("UPDATE schedule SET next_at = now() - interval '30 minutes'")
        self.backend.operator(lambda session: session.execute(due))
        wait_until(lambda: any(self.started()), "the first run")

    def started(self) -> list[int]:
        """How many runs each schedule has started."""

        async def counted(session: AsyncSession) -> list[int]:
            return list(await session.scalars(_STARTED))

        self.agent.beat()
        found: list[int] = self.backend.operator(counted)
        return found

    def require_each_once(self) -> None:
        wait_until(lambda: all(self.started()), "the last run", 120)
        assert self.started() == [1] * _SCHEDULES
        runs = self.person.client.get("/runs", params={"limit": 200}).raise_for_status().json()
        assert runs["total"] == len({run["experiment_id"] for run in runs["items"]}) == _SCHEDULES


def test_one_of_two_jobs_services_is_killed(postgresql_url: str) -> None:
    with own_database(postgresql_url) as settings, serving(settings, alone=True) as backend:
        lab = Lab(backend)
        with jobs_service(settings, _SHORT_LEASE) as first, jobs_service(settings, _SHORT_LEASE):
            lab.all_are_due()
            os.killpg(first.pid, signal.SIGKILL)
            with jobs_service(settings, _SHORT_LEASE):
                lab.require_each_once()


def test_one_of_two_web_processes_is_killed(postgresql_url: str) -> None:
    """Hosts and people reach the other one, through the nginx in front."""
    with (
        own_database(postgresql_url) as settings,
        web_process(settings) as (first, one),
        web_process(settings) as (_, two),
        front(f"127.0.0.1:{one}", f"127.0.0.1:{two}") as port,
    ):
        lab = Lab(Backend(f"http://127.0.0.1:{port}", settings))
        with jobs_service(settings, _SHORT_LEASE):
            lab.all_are_due()
            first.kill()
            lab.require_each_once()
        lab.agent.beat().raise_for_status()
        lab.backend.close()
