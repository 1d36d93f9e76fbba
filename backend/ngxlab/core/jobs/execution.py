"""One job from its claim to its end, in a worker's process."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog
from redis.asyncio import Redis
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.bus import LiveMessage
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.database import Database, after_commit, is_away
from ngxlab.core.errors import ApiError
from ngxlab.core.jobs import repository
from ngxlab.core.jobs.kinds import Kind, Queue, Round, hint_later, job, kinds
from ngxlab.core.jobs.repository import LEASE, Claimed

log = structlog.get_logger()

_REPEATED_AFTER = timedelta(seconds=5)
ENDED = LiveMessage(0, "job")
"""Told to whoever waits for a job, by its id."""


class LeaseLostError(Exception):
    """Somebody else has claimed the job: what was worked out here is not stored."""


@dataclass
class Service:
    """What all jobs of one process share. ``node``: the name of its parent, by which its leases are known."""

    settings: Settings
    database: Database
    redis: Redis
    node: str
    own: dict[str, Any] = field(default_factory=dict)
    """What a kind keeps from one job to the next."""

    @property
    def owner(self) -> str:
        return f"{self.node}/{os.getpid()}"

    def slots(self, queue: str) -> int | None:
        """How many jobs of a queue this node works on at once, where places are left for those that pages wait for."""
        left = {Queue.now: 0, Queue.analysis: 1, Queue.slow: 2}[Queue(queue)]
        return max(1, self.settings.jobs_processes - left) if left else None


@dataclass
class Task:
    """A claimed job, as the function that does it sees it."""

    service: Service
    job_id: UUID
    kind: Kind
    result: dict[str, Any] | None = None
    closed: bool = False

    @property
    def database(self) -> Database:
        return self.service.database

    @asynccontextmanager
    async def closing(self) -> AsyncIterator[AsyncSession]:
        """The transaction that ends the job: what is stored in it is stored once, whoever else may have begun again.

        Raises LeaseLostError where this process does not hold the job any more.
        """
        async with self.database.transaction() as session:
            yield session
            await session.flush()
            if not await self._close(session):
                raise LeaseLostError
            for job_id, name, queue in await repository.next_waiting(session, self.job_id):
                if name in kinds.by_name:
                    hint_later(session, job_id, kinds.by_name[name], queue)
            after_commit(session, lambda: self.database.bus.publish(self.job_id, ENDED))
        self.closed = True

    async def _close(self, session: AsyncSession) -> bool:
        if self.kind.is_round:
            return await repository.remove(session, self.job_id, self.service.owner)
        return await repository.close(session, self.job_id, self.service.owner, self.result)


async def execute(service: Service, job_id: UUID, queue: str) -> None:
    """Do a job, unless there is nothing to do: messages are hints, and may come twice or late."""
    place = {"queue": queue, "node": service.node, "owner": service.owner}
    claimed = await repository.claim(service.database, job_id, **place, slots=service.slots(queue))
    if claimed is None:
        return
    task = Task(service, job_id, kinds.by_name[claimed.kind])
    renewing = asyncio.create_task(_renew(task))
    try:
        await task.kind.work(task, **claimed.arguments)
        if not task.closed:
            async with task.closing():
                pass
    except LeaseLostError:
        log.warning("a job was taken over by another process", job=str(job_id), kind=claimed.kind)
    except Exception as error:  # noqa: BLE001 (whatever a job raises is stored with it)
        await _fail(task, claimed, error)
    finally:
        renewing.cancel()


async def _renew(task: Task) -> None:
    while True:
        await asyncio.sleep(LEASE.total_seconds() / 3)
        try:
            await repository.renew(task.database, task.job_id, task.service.owner)
        except (SQLAlchemyError, OSError) as error:
            log.warning("the lease of a job could not be renewed", job=str(task.job_id), error=type(error).__name__)


async def _fail(task: Task, claimed: Claimed, error: Exception) -> None:
    """What the API answers with is told to whoever waits; anything else is an accident, which may not repeat."""
    answer = {"error": type(error).__name__, "code": error.code} if isinstance(error, ApiError) else None
    told = error.detail if isinstance(error, ApiError) else f"{type(error).__name__}: {error}"[:2_000]
    if is_away(error):
        log.warning("a job broke off", kind=claimed.kind, key=claimed.key, error=type(error).__name__)
    elif answer is None:
        log.error("a job failed", kind=claimed.kind, key=claimed.key, attempt=claimed.attempts, exc_info=error)
    try:
        async with task.database.transaction() as session:
            if task.kind.is_round:
                await repository.remove(session, task.job_id, task.service.owner)
            else:
                await repository.give_back(
                    session, task.job_id, task.service.owner, told, wait=_REPEATED_AFTER, result=answer
                )
            after_commit(session, lambda: task.database.bus.publish(task.job_id, ENDED))
    except (SQLAlchemyError, OSError) as away:  # the lease runs out by itself
        log.warning("the end of a job could not be stored", kind=claimed.kind, error=type(away).__name__)


_KEPT = timedelta(days=1)
_EVERY_S = 3600.0


@job("forget-jobs", Queue.slow, limit_s=300, is_round=True)
async def forget(task: Task) -> None:
    async with task.database.transaction() as session:
        await repository.forget_ended(session, utcnow() - _KEPT)


def round_of_jobs() -> Round:
    return Round(forget, period_s=_EVERY_S)
