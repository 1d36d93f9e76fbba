"""Access to PostgreSQL: the models' base, and transactions whose messages are sent only after the commit."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated, Any, cast

import asyncpg
import structlog
from fastapi import Depends, Request
from sqlalchemy import TIMESTAMP, ClauseElement, Executable, MetaData, Row, event
from sqlalchemy.dialects.postgresql.asyncpg import dialect
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.util import greenlet_spawn

from ngxlab.core.bus import Bus
from ngxlab.core.stored_json import JsonArray, JsonObject

log = structlog.get_logger()

AfterCommit = Callable[[], Awaitable[None]]

_ASYNCPG = dialect()  # type: ignore[no-untyped-call]
_AFTER_COMMIT = "ngxlab.after_commit"
_DATABASE = "ngxlab.database"
_USED_AT = "ngxlab.used_at"
_ASK_AFTER_S = 15.0
"""Longer than pauses last: what is used every few seconds is not asked for whether it answers."""


class Base(DeclarativeBase):
    """Base of all models. Times are in UTC with time zone, free-form structures are JSONB."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 (SQLAlchemy's own idiom)
        datetime: TIMESTAMP(timezone=True),
        dict[str, Any]: JsonObject,
        list[Any]: JsonArray,
    }


class Prepared:
    """A statement that is asked all the time, in the form that the driver takes: to go there through SQLAlchemy costs
    more than the driver itself. Parameters and rows are as the driver has them."""

    def __init__(self, statement: ClauseElement) -> None:
        self.statement = cast("Executable", statement)
        compiled: Any = statement.compile(dialect=_ASYNCPG, compile_kwargs={"render_postcompile": True})
        self.text = str(compiled)
        self._fixed: Mapping[str, Any] = compiled.params
        self._names: Sequence[str] = compiled.positiontup

    def in_order(self, given: Mapping[str, Any]) -> Iterator[Any]:
        return (given[name] if name in given else self._fixed[name] for name in self._names)


class Database:
    """An engine, its transactions, and the bus on which their outcome is announced. It has twice ``pool_size``
    connections at most.

    What is asked all the time has some of its own (``asking``), where PostgreSQL plans a statement once. Elsewhere it
    plans the first five times anew, on each connection, which is most of what a short statement costs.
    """

    def __init__(self, url: str, bus: Bus, *, pool_size: int = 10, asking: int = 6) -> None:
        self.bus = bus
        self.engine = _engine(url, pool_size=pool_size, max_overflow=pool_size - asking)
        planned_once = {"server_settings": {"plan_cache_mode": "force_generic_plan"}}
        self._asking = _engine(url, pool_size=asking, max_overflow=0, connect_args=planned_once)
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False)
        self._without_transaction = self._asking.execution_options(isolation_level="AUTOCOMMIT")

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        """One unit of work. Commits at the end, or rolls back on any error. Only after a commit it runs what
        :func:`after_commit` collected (Celery messages, live events).
        """
        async with self._sessions() as session:  # which rolls back what is left at its end
            session.info[_DATABASE] = self
            yield session
            await settle(session)

    async def alone(
        self, statement: Executable, parameters: Mapping[str, Any] | None = None
    ) -> Sequence[Row[*tuple[Any, ...]]]:
        """The rows of one statement, which is a transaction by itself: for what is asked all the time. One round trip
        takes the place of three."""
        async with self._without_transaction.connect() as connection:
            return (await connection.execute(statement, parameters)).all()

    async def ask(self, statement: Prepared, given: Mapping[str, Any] | None = None) -> Sequence[Mapping[str, Any]]:
        """As :meth:`alone`, at a third of its cost."""
        async with _driver(self._asking) as driver:
            rows: Sequence[Mapping[str, Any]] = await driver.fetch(statement.text, *statement.in_order(given or {}))
        return rows

    async def close(self) -> None:
        await self.engine.dispose()
        await self._asking.dispose()


def after_commit(session: AsyncSession, action: AfterCommit) -> None:
    """Run ``action`` after this session's transaction has been committed; never after a rollback."""
    session.info.setdefault(_AFTER_COMMIT, []).append(action)


async def settle(session: AsyncSession) -> None:
    """Commit what the session has done, and do what follows. It goes on in another transaction, which begins with the
    next statement: until then it has no connection, as befits a request that waits."""
    await session.commit()
    for action in session.info.pop(_AFTER_COMMIT, []):
        try:
            await action()
        except Exception:  # what is committed holds, and each of these is a hint
            log.exception("an action after the commit failed")


async def one_snapshot(session: AsyncSession) -> None:
    """Have all statements of this session's transaction see the same data. Call it before the first of them."""
    await session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


async def ask_in(session: AsyncSession, statement: Prepared, given: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """As :meth:`Database.ask`, in the session's transaction."""
    return [dict(row) for row in (await session.execute(statement.statement, given)).mappings()]


async def driver_of(session: AsyncSession) -> Any:
    """The asyncpg connection of a transaction that has begun with another statement: SQLAlchemy has no COPY."""
    raw = await (await session.connection()).get_raw_connection()
    if raw.driver_connection is None:
        raise RuntimeError("the database connection was closed during the transaction")
    return raw.driver_connection


def database_of(session: AsyncSession) -> Database:
    """The database of a session, for work that follows the commit in a transaction of its own."""
    database: Database = session.info[_DATABASE]
    return database


def bus_of(session: AsyncSession) -> Bus:
    """The bus for messages about this session's transaction; use it inside :func:`after_commit`."""
    return database_of(session).bus


def _engine(url: str, **options: Any) -> AsyncEngine:
    # The last one used is the next: few are enough at rest, and they know the statements already.
    engine = create_async_engine(url, pool_use_lifo=True, hide_parameters=True, **options)
    _drop_closed_connections(engine)
    return engine


@asynccontextmanager
async def _driver(engine: AsyncEngine) -> AsyncIterator[Any]:
    try:
        connection = await engine.raw_connection()
    except engine.dialect.loaded_dbapi.Error as error:  # as SQLAlchemy has it: the driver's own is the cause
        raise DBAPIError(None, None, error, hide_parameters=True) from error
    driver: Any = connection.driver_connection
    try:
        yield driver
    except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        gone = driver.is_closed()
        raise DBAPIError(None, None, error, hide_parameters=True, connection_invalidated=gone) from error
    except asyncio.CancelledError:
        await greenlet_spawn(connection.invalidate)  # an answer may be on its way
        raise
    finally:
        await greenlet_spawn(connection.close)


def _drop_closed_connections(engine: AsyncEngine) -> None:
    """Have the pool replace connections that have broken while they were idle.

    A server that ends closes its connections, which the event loop has seen by the next use. One that vanished without
    a word is noticed by a question, which is worth its round trip only after a pause.
    """

    @event.listens_for(engine.sync_engine, "checkin")
    def note(_: object, record: ConnectionPoolEntry) -> None:
        record.info[_USED_AT] = time.monotonic()

    @event.listens_for(engine.sync_engine, "checkout")
    def look(connection: Any, record: ConnectionPoolEntry, _: object) -> None:
        closed = connection.driver_connection.is_closed()
        idle_s = time.monotonic() - record.info.get(_USED_AT, -math.inf)
        if closed or (idle_s > _ASK_AFTER_S and not _answers(connection)):
            raise DisconnectionError


def _answers(connection: Any) -> bool:
    """Asks by the shortest statement: SQLAlchemy's own question is a transaction of three."""
    try:
        connection.run_async(lambda driver: driver.execute("SELECT"))
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        return False
    return True


async def _request_session(request: Request) -> AsyncIterator[AsyncSession]:
    database: Database = request.app.state.database
    async with database.transaction() as session:
        yield session


# scope="function": the commit happens before the response leaves, so a failed commit never answers 200.
SessionDep = Annotated[AsyncSession, Depends(_request_session, scope="function")]


_AWAY_STATES = ("08", "53", "57P")
"""Classes of SQLSTATE: the connection broke off; connections, memory or disk ran out; PostgreSQL starts or stops.
Source: PostgreSQL, Appendix A, "PostgreSQL Error Codes"."""


def driver_error(error: BaseException | None) -> BaseException | None:
    """The driver's own error, where SQLAlchemy has made another of it."""
    return getattr(error.orig, "__cause__", None) or error.orig if isinstance(error, DBAPIError) else error


def is_away(error: BaseException | None) -> bool:
    """Whether the database, or whatever else is connected to, cannot be reached or has broken off."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or is_away(driver_error(error))
    if isinstance(error, asyncpg.PostgresError) and str(error.sqlstate).startswith(_AWAY_STATES):
        return True
    return isinstance(error, ConnectionError | TimeoutError)
