"""SQL of jobs."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import (
    CheckConstraint,
    Index,
    String,
    Text,
    Uuid,
    and_,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, aliased, mapped_column
from sqlalchemy.sql import ColumnElement

from ngxlab.core.database import Base, Database, Prepared


class JobState(StrEnum):
    queued = "queued"
    running = "running"
    done = "done"
    failed = "failed"


class Job(Base):
    """Work that was asked for, and what became of it.

    One of the same kind and key may wait while another runs: what is asked for while it runs may depend on what has
    happened since it began. A running job whose lease has run out waits for whoever claims it again.
    """

    __tablename__ = "job"
    __table_args__ = (
        CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name="state"),
        Index(
            "uq_job_open", "kind", "key", "state", unique=True, postgresql_where=text("state IN ('queued', 'running')")
        ),
        Index("ix_job_kind_key", "kind", "key"),
        Index("ix_job_ended_at", "ended_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    queue: Mapped[str] = mapped_column(String)
    kind: Mapped[str] = mapped_column(String)
    key: Mapped[str] = mapped_column(String)
    arguments: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(String, default=JobState.queued)
    attempts: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str | None] = mapped_column(String)
    """The process that works on it: ``NODE/PID``."""
    lease_until: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    """The beginning of the latest attempt."""
    ended_at: Mapped[datetime | None]
    error: Mapped[str | None] = mapped_column(Text)
    """Why the latest attempt failed."""
    result: Mapped[dict[str, Any] | None]
    """What whoever waits for the job is told beyond what it has stored elsewhere."""


LEASE = timedelta(seconds=20)
"""The right to work on a job; it is renewed while somebody does."""
MOST_ATTEMPTS = 3
_OVERLOOKED = timedelta(seconds=3)
"""After so long, the hint of a job that nobody has taken may be lost."""
_HINTED_AT_ONCE = 20
PRESENCE = 0x6E67786A
"""The advisory lock of the beat that fires: it is held while a jobs service lives ("ngxj")."""


class Claimed(NamedTuple):
    kind: str
    key: str
    arguments: dict[str, Any]
    attempts: int


async def ask(session: AsyncSession, queue: str, kind: str, key: str, arguments: dict[str, Any]) -> UUID:
    """Store a job, unless one of the same key waits, which then has the newer arguments. Its id."""
    new = insert(Job).values(
        id=uuid4(), queue=queue, kind=kind, key=key, arguments=arguments, state=JobState.queued, attempts=0
    )
    stored = new.on_conflict_do_update(
        index_elements=[Job.kind, Job.key, Job.state],
        index_where=text("state IN ('queued', 'running')"),
        set_={"arguments": new.excluded.arguments, "queue": new.excluded.queue},
    )
    return UUID(str(await session.scalar(stored.returning(Job.id))))


_LAPSED = and_(Job.state == JobState.running, Job.lease_until < func.now())
_REPEATABLE = and_(_LAPSED, Job.attempts < MOST_ATTEMPTS)
_WAITS_LONG = and_(Job.state == JobState.queued, Job.created_at < func.now() - _OVERLOOKED)


async def claim(
    database: Database, job_id: UUID, *, queue: str, node: str, owner: str, slots: int | None
) -> Claimed | None:
    """Take a job that waits or whose lease has run out. ``None``: somebody else has it, or another of its key runs, or
    this ``node`` works on ``slots`` jobs of the queue already."""
    others = Job.__table__.alias("others")
    busy = select(func.count()).where(
        others.c.queue == Job.queue,
        others.c.state == JobState.running,
        others.c.lease_until >= func.now(),
        others.c.owner.startswith(f"{node}/"),
    )
    taken = (
        update(Job)
        .where(Job.id == job_id, or_(Job.state == JobState.queued, _REPEATABLE))
        .values(
            state=JobState.running,
            owner=owner,
            attempts=Job.attempts + 1,
            lease_until=func.now() + LEASE,
            started_at=func.now(),
        )
        .returning(Job.kind, Job.key, Job.arguments, Job.attempts)
    )
    if slots is not None:
        taken = taken.where(busy.scalar_subquery() < slots)
    try:
        async with database.transaction() as session:
            if slots is not None:  # two that count at the same time would both find room
                place = func.hashtextextended(f"ngxlab jobs {node} {queue}", 0)
                await session.execute(select(func.pg_advisory_xact_lock(place)))
            row = (await session.execute(taken)).one_or_none()
    except IntegrityError:  # another of the same key runs
        return None
    return Claimed(*row) if row is not None else None


_RENEW = Prepared(
    update(Job)
    .where(Job.id == bindparam("job", type_=Uuid), Job.owner == bindparam("holder", type_=String))
    .values(lease_until=func.now() + LEASE)
)


async def renew(database: Database, job_id: UUID, owner: str) -> None:
    await database.ask(_RENEW, {"job": job_id, "holder": owner})


def _held(job_id: UUID, owner: str) -> ColumnElement[bool]:
    return and_(Job.id == job_id, Job.owner == owner, Job.state == JobState.running)


async def close(session: AsyncSession, job_id: UUID, owner: str, result: dict[str, Any] | None) -> bool:
    """Store that the job is done; false where somebody else has claimed it meanwhile."""
    ended = update(Job).where(_held(job_id, owner))
    ended = ended.values(state=JobState.done, ended_at=func.now(), error=None, lease_until=None, result=result)
    return await session.scalar(ended.returning(Job.id)) is not None


async def remove(session: AsyncSession, job_id: UUID, owner: str) -> bool:
    """As :func:`close`, for a job of which nothing has to stay."""
    return await session.scalar(delete(Job).where(_held(job_id, owner)).returning(Job.id)) is not None


async def give_back(
    session: AsyncSession, job_id: UUID, owner: str, error: str, *, wait: timedelta, result: dict[str, Any] | None
) -> None:
    """Store why an attempt failed. It is repeated after ``wait``; with a ``result``, or as the last one, it is not."""
    last = Job.attempts >= MOST_ATTEMPTS if result is None else text("true")
    failed = {"state": JobState.failed, "ended_at": func.now(), "lease_until": None, "result": result}
    values: dict[str, Any] = {"error": error, "lease_until": func.now() + wait, "owner": None}
    given_up = update(Job).where(_held(job_id, owner), last).values(**values | failed)
    if await session.scalar(given_up.returning(Job.id)) is None:
        await session.execute(update(Job).where(_held(job_id, owner)).values(**values))


async def let_go(session: AsyncSession, job_id: UUID, node: str, error: str) -> None:
    """What a process of this node worked on when it was killed may be claimed again."""
    held = and_(Job.id == job_id, Job.state == JobState.running, Job.owner.startswith(f"{node}/"))
    await session.execute(update(Job).where(held).values(error=error, lease_until=func.now(), owner=None))


def is_any_overlooked() -> ColumnElement[bool]:
    """Whether a job has waited for longer than hints take, or was left by whoever worked on it: asked all the time."""
    return exists().where(or_(_WAITS_LONG, _LAPSED))


async def overlooked(session: AsyncSession, queue: str) -> Sequence[tuple[UUID, str]]:
    """Ids and kinds of the oldest jobs of a queue that could be worked on and are not."""
    query = select(Job.id, Job.kind).where(Job.queue == queue, or_(_WAITS_LONG, _REPEATABLE))
    return [(row[0], row[1]) for row in await session.execute(query.order_by(Job.created_at).limit(_HINTED_AT_ONCE))]


_LEFT = "Whoever worked on it ended without a word"


async def give_up_abandoned(session: AsyncSession) -> Sequence[Job]:
    """Jobs whose last attempt ended without a word are failed."""
    failed = update(Job).where(_LAPSED, Job.attempts >= MOST_ATTEMPTS)
    failed = failed.values(
        state=JobState.failed, ended_at=func.now(), lease_until=None, error=func.coalesce(Job.error, _LEFT)
    )
    return (await session.scalars(failed.returning(Job))).all()


async def next_waiting(session: AsyncSession, job_id: UUID) -> Sequence[tuple[UUID, str, str]]:
    """Id, kind and queue of what may begin when this job ends: those of the same key, and the oldest of its queue."""
    ended, other = aliased(Job), aliased(Job)
    oldest = select(func.min(other.created_at)).where(other.state == JobState.queued, other.queue == Job.queue)
    same = and_(Job.kind == ended.kind, Job.key == ended.key)
    first = and_(Job.queue == ended.queue, Job.created_at == oldest.correlate(Job).scalar_subquery())
    query = select(Job.id, Job.kind, Job.queue).where(
        ended.id == job_id, Job.state == JobState.queued, or_(same, first)
    )
    return [(row[0], row[1], row[2]) for row in await session.execute(query)]


async def found(session: AsyncSession, job_ids: Sequence[UUID]) -> Sequence[Job]:
    """As they are now."""
    query = select(Job).where(Job.id.in_(job_ids)).execution_options(populate_existing=True)
    return (await session.scalars(query)).all()


async def open_of(session: AsyncSession, kind: str, prefix: str) -> Sequence[UUID]:
    """The jobs that wait or run and whose key begins with ``prefix``."""
    going_on = Job.state.in_((JobState.queued, JobState.running))
    own = Job.key.startswith(prefix, autoescape=True)
    return (await session.scalars(select(Job.id).where(Job.kind == kind, own, going_on))).all()


async def latest_done(session: AsyncSession, kind: str, key: str) -> Job | None:
    """The job of this key that has ended well last."""
    query = select(Job).where(Job.kind == kind, Job.key == key, Job.state == JobState.done)
    return await session.scalar(query.order_by(Job.ended_at.desc()).limit(1))


async def failed_keys(session: AsyncSession, kind: str, keys: Sequence[str]) -> set[str]:
    """The keys whose latest job has failed."""
    newest = select(Job.key, Job.state).where(Job.kind == kind, Job.key.in_(keys)).ext(distinct_on(Job.key))
    rows = await session.execute(newest.order_by(Job.key, Job.created_at.desc()))
    return {key for key, state in rows if state == JobState.failed}


async def forget_ended(session: AsyncSession, before: datetime) -> None:
    await session.execute(delete(Job).where(Job.ended_at < before))


_IS_PRESENT = select(
    exists(
        select(1)
        .select_from(text("pg_locks"))
        .where(
            text(
                "locktype = 'advisory' AND granted AND classid = 0 AND objsubid = 1 AND objid = :presence AND "
                "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            ).bindparams(presence=PRESENCE)
        )
    )
)


async def is_any_present(session: AsyncSession) -> bool:
    """Whether a jobs service lives: its beat holds a lock for as long as its connection lasts."""
    return bool(await session.scalar(_IS_PRESENT))
