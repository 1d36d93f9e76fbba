"""A backend without a jobs service, and what a test asks of the jobs in its database."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from harness import Backend
from ngxlab.core.jobs.kinds import Kind
from ngxlab.core.jobs.repository import Job
from redis import Redis
from services import wait_until
from sqlalchemy.ext.asyncio import AsyncSession

QUICK = {"ngxlab.core.jobs.execution._REPEATED_AFTER": timedelta(seconds=0)}


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
