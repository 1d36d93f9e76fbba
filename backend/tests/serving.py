"""The application behind a real HTTP server, in a thread."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import asyncpg
import services
import uvicorn
from harness import COORDINATOR_TOKEN, Backend
from ngxlab.core import logs, migrate
from ngxlab.core.config import Settings
from ngxlab.core.connections.http_protocol import BoundedHttpProtocol
from ngxlab.core.connections.server import QuietServer
from ngxlab.main import create_app
from pydantic import SecretStr

logs.configure("WARNING")  # of the whole process: so once, before any test

_END_WITHIN_S = 60.0


def private_settings(postgresql_url: str, redis_url: str) -> Settings:
    """Of a backend of the tests' own, on a free port."""
    return Settings(
        DATABASE_URL=SecretStr(postgresql_url),
        REDIS_URL=SecretStr(redis_url),
        coordinator_token=SecretStr(COORDINATOR_TOKEN),
        port=services.free_port(),
    )


@contextmanager
def own_database(postgresql_url: str) -> Iterator[Settings]:
    """Of a backend with an empty database and a Redis of its own."""
    name = f"lab_{uuid4().hex}"

    async def create() -> None:
        connection = await asyncpg.connect(postgresql_url)
        await connection.execute(f"CREATE DATABASE {name}")
        await connection.close()

    asyncio.run(create())
    with services.redis() as redis_url:
        settings = private_settings(postgresql_url.rpartition("/")[0] + f"/{name}", redis_url)
        migrate.upgrade(settings.database_url.get_secret_value())
        yield settings


@contextmanager
def serving(settings: Settings) -> Iterator[Backend]:
    """On a database that has the current schema."""
    config = uvicorn.Config(
        create_app(settings),
        port=settings.port,
        log_config=None,
        http=BoundedHttpProtocol,
        ws="none",
        proxy_headers=False,
        timeout_graceful_shutdown=1,
    )
    server = QuietServer(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        services.wait_until(lambda: services.answers(settings.port), "the backend answering")
        reached = Backend(f"http://127.0.0.1:{settings.port}", settings)
        yield reached
        reached.close()
    finally:
        server.handle_exit(signal.SIGTERM, None)
        thread.join(_END_WITHIN_S)
        assert not thread.is_alive(), "the backend does not end"
