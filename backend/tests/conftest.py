"""A real backend for tests: PostgreSQL, Redis and uvicorn, private to this test process."""

from collections.abc import Iterator

import pytest
import services
from harness import COORDINATOR_TOKEN, Backend
from ngxlab.core.config import Settings
from serving import serving


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    with services.postgresql() as url:
        yield url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with services.redis() as url:
        yield url


@pytest.fixture(scope="session")
def settings(postgresql_url: str, redis_url: str) -> Settings:
    return Settings(
        DATABASE_URL=postgresql_url,
        REDIS_URL=redis_url,
        coordinator_token=COORDINATOR_TOKEN,
        port=services.free_port(),
        log_level="WARNING",
    )


@pytest.fixture(scope="session")
def backend(settings: Settings) -> Iterator[Backend]:
    """The application behind a real HTTP server; tests share it and keep apart by their own accounts and hosts."""
    with serving(settings) as reached:
        yield reached
