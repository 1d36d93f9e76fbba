"""The beat: asks the database one question for all rounds, fires what is due, and tells of overlooked jobs again.

Every jobs service has a beat. The one that holds an advisory lock of PostgreSQL fires; the others wait for it to end.
"""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import structlog
from redis.exceptions import RedisError
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from ngxlab.core.bus import Bus
from ngxlab.core.clock import uptime_s, utcnow
from ngxlab.core.database import Database, after_commit
from ngxlab.core.jobs import repository
from ngxlab.core.jobs.execution import ENDED
from ngxlab.core.jobs.kinds import NOW, UPTIME, Attendance, Queue, Round, hint_later, kinds

log = structlog.get_logger()

PERIOD_S = 4.0
"""At the same instants as heartbeats of agents at rest and pulses of coordinators on this machine."""
BUSY_S = 1.0
_EARLY_S = 0.01
"""By so much a rest may end too early."""


class Beat:
    """``heard``: whether any host or coordinator has called lately, which says that others could have, too."""

    def __init__(self, database: Database, rounds: Sequence[Round], heard: ColumnElement[bool]) -> None:
        self._database, self._rounds = database, rounds
        self._asked = [one for one in rounds if one.question is not None]
        questions = [one.question.label(f"q{n}") for n, one in enumerate(self._asked) if one.question is not None]
        self._statement = select(repository.is_any_overlooked(), heard, *questions)
        self._fired_at: dict[int, float] = {}
        self._held: AsyncConnection | None = None
        self._heard, self._broker = Attendance(), Attendance()

    async def tick(self) -> float:
        """One look; the seconds until the next."""
        try:
            rest_s = await self._look()
        except (SQLAlchemyError, OSError) as error:
            log.warning("the beat could not look", error=f"{type(error).__name__}: {error}")
            await self.close()
            rest_s = PERIOD_S
        except Exception:  # the next look may succeed, and everything depends on it
            log.exception("the beat could not look")
            await self.close()
            rest_s = PERIOD_S
        return _until_all_look(rest_s)

    async def close(self) -> None:
        """Let another beat fire."""
        held, self._held = self._held, None
        if held is not None:
            try:
                await held.invalidate()
                await held.close()
            except (SQLAlchemyError, OSError) as error:
                log.info("the connection of the beat was gone", error=type(error).__name__)

    async def _look(self) -> float:
        if (held := await self._lock()) is None:
            return PERIOD_S
        asked = {NOW.key: utcnow(), UPTIME.key: uptime_s()}
        overlooked, heard, *answers = (await held.execute(self._statement, asked)).one()
        missing = await self._missing_markers()
        if heard:
            self._heard.note()
        by_round = {id(one): bool(answer) for one, answer in zip(self._asked, answers, strict=True)}
        due = [one for one in self._rounds if self._is_due(one, by_round, missing)]
        await self._fire(due)
        if overlooked:
            await self._tell_again()
        return BUSY_S if any(one.busy and by_round[id(one)] for one in self._asked) else PERIOD_S

    async def _lock(self) -> AsyncConnection | None:
        """The connection that holds the lock; ``None`` where another beat has it."""
        if self._held is not None:
            return self._held
        connection = await self._database.engine.connect()
        connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
        if await connection.scalar(select(func.pg_try_advisory_lock(repository.PRESENCE))):
            self._held = connection
            return connection
        await connection.close()
        return None

    async def _missing_markers(self) -> set[str]:
        """Also notes whether Redis answers."""
        markers = [one.marker for one in self._rounds if one.marker is not None]
        redis = self._database.bus.redis
        try:
            present = await redis.mget(markers)
        except RedisError as error:
            log.warning("Redis does not answer", error=str(error))
            return set()
        self._broker.note()
        return {name for name, value in zip(markers, present, strict=True) if value is None}

    def _is_due(self, one: Round, answers: Mapping[int, bool], missing: set[str]) -> bool:
        since_s = time.monotonic() - self._fired_at.get(id(one), float("-inf"))
        if since_s < one.least_s - _EARLY_S:
            return False
        if answers.get(id(one)) or one.marker in missing:
            return True
        return one.period_s is not None and since_s >= one.period_s - _EARLY_S

    async def _fire(self, rounds: Sequence[Round]) -> None:
        for one in rounds:
            self._fired_at[id(one)] = time.monotonic()
            if one.little is not None:
                await one.little(self._database)
        if asked := [one for one in rounds if one.kind is not None]:
            attendance = {"heard": self._heard.written(), "broker": self._broker.written()}
            async with self._database.transaction() as session:
                for one in asked:
                    if one.kind is not None:
                        told: Mapping[str, Any] = attendance if one.with_attendance else {}
                        await one.kind.ask(session, one.kind.name, **told)

    async def _tell_again(self) -> None:
        """Hint at jobs that nobody has taken, where no message waits: it was lost, or nobody was there for it."""
        bus: Bus = self._database.bus
        async with self._database.transaction() as session:
            for job in await repository.give_up_abandoned(session):
                log.error("a job is given up", kind=job.kind, key=job.key, attempts=job.attempts, reason=job.error)
                after_commit(session, partial(bus.publish, job.id, ENDED))
            for queue in Queue:
                if not await bus.is_taken(queue):
                    continue
                for job_id, name in await repository.overlooked(session, queue):
                    if (kind := kinds.by_name.get(name)) is not None:
                        hint_later(session, job_id, kind, queue)


def _until_all_look(rest_s: float) -> float:
    """A rest that ends when others of this machine end: one after the other they find the caches of the processor warm,
    and cost half of what each costs by itself."""
    left_s = rest_s - time.monotonic() % rest_s
    return left_s if left_s > _EARLY_S else left_s + rest_s
