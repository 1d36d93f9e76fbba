"""Backends for what one for all tests cannot show."""

import asyncio
from collections.abc import Iterator
from uuid import uuid4

import asyncpg
import pytest
import services
from harness import COORDINATOR_TOKEN, Backend
from ngxlab.core import migrate
from ngxlab.core.config import Settings
from pydantic import SecretStr
from serving import serving


@pytest.fixture(scope="module")
def proxied(backend: Backend) -> Iterator[Backend]:
    """The same installation, told to believe what its own machine says of callers' addresses."""
    changes = {"port": services.free_port(), "trusted_proxies": ("127.0.0.0/8",)}
    with serving(backend.settings.model_copy(update=changes)) as reached:
        yield reached


@pytest.fixture
def empty_lab(postgresql_url: str, redis_url: str) -> Iterator[Backend]:
    """An installation without any account."""
    name = f"lab_{uuid4().hex}"

    async def create() -> None:
        connection = await asyncpg.connect(postgresql_url)
        await connection.execute(f"CREATE DATABASE {name}")
        await connection.close()

    asyncio.run(create())
    settings = Settings(
        DATABASE_URL=SecretStr(postgresql_url.rpartition("/")[0] + f"/{name}"),
        REDIS_URL=SecretStr(redis_url),
        coordinator_token=SecretStr(COORDINATOR_TOKEN),
        port=services.free_port(),
        log_level="WARNING",
    )
    migrate.upgrade(settings.database_url.get_secret_value())
    with serving(settings) as reached:
        yield reached
