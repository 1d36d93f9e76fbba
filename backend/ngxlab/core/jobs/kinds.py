"""The kinds of jobs: each a function with its queue and its limits, declared in the room that knows what it does."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Self
from uuid import UUID

from sqlalchemy import TIMESTAMP, ColumnElement, Float, bindparam
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, after_commit, bus_of
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


LONGEST_GAP = timedelta(seconds=10)
"""Twice the pause between two looks, and more: on a busy machine one is late. Hosts have minutes."""


class Attendance:
    """Kept up by whoever looks every few seconds, :meth:`note`.

    A gap means that nobody could be heard, or that the clock was set: whichever it was, hosts have their whole patience
    again.
    """

    def __init__(self, now: Callable[[], datetime] = utcnow, longest_gap: timedelta = LONGEST_GAP) -> None:
        self._now, self._longest_gap = now, longest_gap
        self._since = self._noted = now()

    @classmethod
    def read(cls, text: str) -> Self:
        """As another process has :meth:`written` it."""
        told = cls()
        told._since, told._noted = (datetime.fromisoformat(part) for part in text.split(" "))
        return told

    def written(self) -> str:
        return f"{self._since.isoformat()} {self._noted.isoformat()}"

    def note(self) -> None:
        """All is well at this moment."""
        self._since, self._noted = self.since(), self._now()

    def since(self) -> datetime:
        """The beginning of the present time without a gap: now, where the last note is too old."""
        now = self._now()
        return self._since if timedelta(0) <= now - self._noted <= self._longest_gap else now


NOW = bindparam("now", None, TIMESTAMP(timezone=True))
"""In a question: when it is asked."""
UPTIME = bindparam("uptime_s", None, Float)
"""And how long the machine that asks has been up, which does not change where somebody sets its clock."""


@dataclass(frozen=True)
class Round:
    """What is fired: a ``kind`` of jobs, or ``little``, which costs less than to give it to a worker.

    ``question``: asked all the time; yes fires it, but not more often than every ``least_s``. Where it is ``busy``,
    it is asked again after a second. ``period_s``: after which it is fired anyway. ``marker``: a key of Redis, whose
    absence fires it. ``with_attendance``: it is told since when hosts could be heard, and Redis be reached.
    """

    kind: Kind | None = None
    little: Callable[[Database], Awaitable[None]] | None = None
    question: ColumnElement[bool] | None = None
    least_s: float = 0.0
    period_s: float | None = None
    marker: str | None = None
    busy: bool = False
    with_attendance: bool = False
