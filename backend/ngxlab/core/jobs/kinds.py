"""The kinds of jobs: each a function with its queue and its limits, declared in the room that knows what it does."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.database import after_commit, bus_of
from ngxlab.core.jobs import repository

TASK_JOB = "ngxlab.job"
"""The name of the Celery task that takes the id of a job."""


class Queue(StrEnum):
    """Each queue has one concern, so that nobody who waits for a page waits for an hour of packing."""

    now = "jobs.now"
    """What a page waits for."""
    analysis = "jobs.analysis"
    """What follows from the end of trials and runs."""
    slow = "jobs.slow"
    """What may take minutes, and nobody waits for."""


Work = Callable[..., Awaitable[None]]


@dataclass(frozen=True)
class Kind:
    """``limit_s``: after which a worker's process is killed. ``is_round``: it is fired again and again, so that a
    failure is not repeated by itself, and no row stays of what went well."""

    name: str
    queue: Queue
    limit_s: float
    work: Work
    is_round: bool = False

    async def ask(self, session: AsyncSession, key: str, *, queue: Queue | None = None, **arguments: Any) -> UUID:
        """Ask for the work in the session's transaction; workers hear of it after the commit. The job's id.

        While a job of the same key waits, that is the one. ``queue``: instead of the kind's own.
        """
        asked = await repository.ask(session, queue or self.queue, self.name, key, arguments)
        hint_later(session, asked, self, queue or self.queue)
        return asked


def hint_later(session: AsyncSession, job_id: UUID, kind: Kind, queue: str) -> None:
    """Tell the workers of a job after the commit."""
    bus = bus_of(session)
    after_commit(session, lambda: bus.send_task(TASK_JOB, job_id, queue, time_limit=kind.limit_s))


@dataclass
class Kinds:
    """The kinds that this process knows, by name."""

    by_name: dict[str, Kind] = field(default_factory=dict)

    def add(self, kind: Kind) -> None:
        if kind.name in self.by_name:
            raise ValueError(f"there are two kinds of jobs named {kind.name}")
        self.by_name[kind.name] = kind


kinds = Kinds()


def job(
    name: str, queue: Queue, *, limit_s: float, is_round: bool = False
) -> Callable[[Callable[..., Awaitable[None]]], Kind]:
    """Declare a kind of job by the function that does it, which gets a :class:`~.execution.Task` and the arguments."""

    def declare(work: Work) -> Kind:
        kind = Kind(name, queue, limit_s, work, is_round)
        kinds.add(kind)
        return kind

    return declare
