"""A request that finds the database away is told that it is, and to try again: it is no fault of the server's code."""

import asyncio
from collections.abc import Awaitable, Callable
from unittest.mock import MagicMock

import httpx
import pytest
from fastapi import FastAPI
from ngxlab.core import errors
from ngxlab.core.bus import Bus
from ngxlab.core.database import Database, Prepared
from services import free_port
from sqlalchemy import text

Use = Callable[[Database, str], Awaitable[object]]
ENDED = "SELECT pg_terminate_backend(pg_backend_pid())"


async def in_a_transaction(database: Database, statement: str) -> None:
    async with database.transaction() as session:
        await session.execute(text(statement))


async def alone(database: Database, statement: str) -> None:
    await database.alone(text(statement))


async def asked(database: Database, statement: str) -> None:
    await database.ask(Prepared(text(statement)))


def _answer(url: str, use: Use, statement: str) -> httpx.Response:
    app = FastAPI()
    errors.install(app)

    async def ask() -> httpx.Response:
        database = Database(url.replace("postgresql://", "postgresql+asyncpg://"), MagicMock(Bus))

        @app.get("/")
        async def used() -> None:
            await use(database, statement)

        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://lab") as client:
            answer = await client.get("/")
        await database.close()
        return answer

    return asyncio.run(ask())


@pytest.mark.parametrize("use", [in_a_transaction, alone, asked])
def test_a_database_that_breaks_off_or_is_not_there_is_named(postgresql_url: str, use: Use) -> None:
    for url in (postgresql_url, f"postgresql://ngxlab@127.0.0.1:{free_port()}/postgres"):
        answer = _answer(url, use, ENDED)
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize("use", [in_a_transaction, alone, asked])
def test_a_wrong_statement_is_still_a_fault(postgresql_url: str, use: Use) -> None:
    assert _answer(postgresql_url, use, "SELECT 1 / 0").status_code == 500
