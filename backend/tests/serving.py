"""The application behind a real HTTP server, in a thread."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import asyncpg
import services
import uvicorn
from harness import COORDINATOR_TOKEN, Backend
from jobs_service import jobs_service
from ngxlab.core import logs, migrate
from ngxlab.core.config import Settings
from ngxlab.front import __main__ as nginx
from ngxlab.front.configuration import Front, Tls
from ngxlab.main import create_app
from pydantic import SecretStr

logs.configure("WARNING")  # of the whole process: so once, before any test

_END_WITHIN_S = 60.0


def private_settings(postgresql_url: str, redis_url: str) -> Settings:
    """Settings of the tests' own backend, on a free port."""
    return Settings(
        DATABASE_URL=SecretStr(postgresql_url),
        REDIS_URL=SecretStr(redis_url),
        coordinator_token=SecretStr(COORDINATOR_TOKEN),
        port=services.free_port(),
        public_url="http://localhost:8400",
    )


@contextmanager
def own_database(postgresql_url: str) -> Iterator[Settings]:
    """The settings of a backend with an empty database and a Redis of its own."""
    with services.redis() as redis_url:
        yield private_settings(empty_database(postgresql_url), redis_url)


def empty_database(postgresql_url: str) -> str:
    """The URL of a new database with the current schema."""
    name = f"lab_{uuid4().hex}"
    asyncio.run(_order(postgresql_url, f"CREATE DATABASE {name} TEMPLATE {_migrated(postgresql_url)}"))
    return _beside(postgresql_url, name)


@cache
def _migrated(postgresql_url: str) -> str:
    """A database from which others are copied: migrations take seconds."""
    asyncio.run(_order(postgresql_url, "CREATE DATABASE migrated"))
    migrate.upgrade(_beside(postgresql_url, "migrated").replace("postgresql://", "postgresql+asyncpg://", 1))
    return "migrated"


def _beside(postgresql_url: str, name: str) -> str:
    return f"{postgresql_url.rpartition('/')[0]}/{name}"


async def _order(postgresql_url: str, statement: str) -> None:
    connection = await asyncpg.connect(postgresql_url)
    await connection.execute(statement)
    await connection.close()


@dataclass
class _SharedJobs:
    """A jobs service, and how many backends use it."""

    stack: ExitStack
    users: int = 0


_with_jobs: dict[str, _SharedJobs] = {}
"""By database."""


@contextmanager
def _jobs(settings: Settings, changes: Mapping[str, Any] | None) -> Iterator[None]:
    """One jobs service for each database, from the first backend that uses it to the last."""
    database = settings.database_url.get_secret_value()
    if (shared := _with_jobs.get(database)) is None:
        shared = _with_jobs[database] = _SharedJobs(ExitStack())
        shared.stack.enter_context(jobs_service(settings, changes))
    shared.users += 1
    try:
        yield
    finally:
        shared.users -= 1
        if not shared.users:
            del _with_jobs[database]
            shared.stack.close()


@contextmanager
def serving(settings: Settings, *, jobs: Mapping[str, Any] | None = None, alone: bool = False) -> Iterator[Backend]:
    """On a database that has the current schema, without the front; with a jobs service unless it is to be ``alone``.
    ``jobs``: what is changed in that."""
    with nullcontext() if alone else _jobs(settings, jobs), _served(settings, port=settings.port):
        services.wait_until(lambda: services.answers(settings.port), "the backend answering")
        yield from _reached(f"http://127.0.0.1:{settings.port}", settings)


@contextmanager
def web_process(settings: Settings) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """By the command that operators use, with its defaults: a process of its own, and its port."""
    port = services.free_port()
    environment = os.environ | {
        "DATABASE_URL": settings.database_url.get_secret_value(),
        "REDIS_URL": settings.redis_url.get_secret_value(),
        "NGXLAB_COORDINATOR_TOKEN": COORDINATOR_TOKEN,
        "NGXLAB_PORT": str(port),
    }
    command = [sys.executable, "-m", "ngxlab.cli", "serve"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        services.wait_until(lambda: services.answers(port), "the backend answering")
        yield process, port
    finally:
        process.terminate()
        process.wait(60)


@contextmanager
def fronted(settings: Settings, tls: Tls | None = None, **limits: int) -> Iterator[Backend]:
    """The same behind nginx, as people reach it. ``limits``: other ones than the product's."""
    with TemporaryDirectory(prefix="ngxlab-front-", dir="/tmp") as name:
        socket = Path(name, "1.sock")
        with _jobs(settings, None), _served(settings, uds=str(socket)):
            services.wait_until(socket.exists, "the backend listening")
            with front(f"unix:{socket}", pages=settings.frontend_dir, tls=tls, **limits) as port:
                yield from _reached(f"http://127.0.0.1:{port}", settings)


@contextmanager
def front(*backends: str, pages: Path | None = None, tls: Tls | None = None, **limits: int) -> Iterator[int]:
    """The product's nginx before these backends: its port. Answers say in X-Served-By which of them gave them."""
    port = services.free_port()
    with TemporaryDirectory(prefix="ngxlab-front-", dir="/tmp") as name:
        made = Front(f"127.0.0.1:{port}", backends, Path(name), pages or Path(name), tls, **limits)
        nginx.install(made)
        told = made.render().replace("root /", "add_header X-Served-By $upstream_addr;\n        root /", 1)
        Path(name, "nginx.conf").write_text(told)
        with subprocess.Popen(nginx.command(made)) as process:
            try:
                services.wait_until(lambda: services.answers(port), "nginx answering")
                yield port
            finally:
                process.terminate()


def _reached(url: str, settings: Settings) -> Iterator[Backend]:
    reached = Backend(url, settings)
    yield reached
    reached.close()


@contextmanager
def _served(settings: Settings, **where: Any) -> Iterator[None]:
    config = uvicorn.Config(
        create_app(settings), **where, log_config=None, ws="none", proxy_headers=False, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(_END_WITHIN_S)
        assert not thread.is_alive(), "the backend does not end"
