"""A request that finds the database away is told that it is, and to try again: it is no fault of the server's code."""

import asyncio
import struct
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from unittest.mock import MagicMock

import httpx2
import pytest
from fastapi import FastAPI
from ngxlab.core import health, problems
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


def _answer(url: str, use: Use, statement: str) -> httpx2.Response:
    app = FastAPI()
    problems.install(app)

    async def ask() -> httpx2.Response:
        database = Database(url.replace("postgresql://", "postgresql+asyncpg://"), MagicMock(Bus))

        @app.get("/")
        async def used() -> None:
            await use(database, statement)

        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://lab") as client:
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


@contextmanager
def _refusing(state: str, message: str) -> Iterator[str]:
    """A PostgreSQL that takes nobody: its URL."""
    fields = f"SFATAL\0VFATAL\0C{state}\0M{message}\0\0".encode()

    class Refusal(BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1024)  # asks for TLS, or says who it is
            self.request.sendall(b"E" + struct.pack("!I", len(fields) + 4) + fields)

    with ThreadingTCPServer(("127.0.0.1", 0), Refusal) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"postgresql://ngxlab@127.0.0.1:{server.server_address[1]}/postgres?ssl=disable"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("use", [in_a_transaction, alone, asked])
@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("57P03", "the database system is starting up"),
        ("53300", "sorry, too many clients already"),
        ("53200", "out of memory"),
    ],
)
def test_a_database_that_takes_nobody_is_named(use: Use, state: str, message: str) -> None:
    with _refusing(state, message) as url:
        answer = _answer(url, use, ENDED)
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert int(answer.headers["Retry-After"]) > 0


def test_readiness_says_why_nobody_is_taken() -> None:
    app = FastAPI()
    with _refusing("57P03", "the database system is starting up") as url:
        app.state.database = Database(url.replace("postgresql://", "postgresql+asyncpg://"), MagicMock(Bus))
        request = MagicMock(app=app)
        found = asyncio.run(health.look(health.postgresql(request)))
    assert found == "takes nobody: the database system is starting up"


@pytest.mark.parametrize("use", [in_a_transaction, alone, asked])
def test_a_wrong_statement_is_still_a_fault(postgresql_url: str, use: Use) -> None:
    assert _answer(postgresql_url, use, "SELECT 1 / 0").status_code == 500
