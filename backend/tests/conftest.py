"""A real backend for tests: PostgreSQL, Redis and uvicorn, private to this test process."""

import threading
from collections.abc import Iterator

import pytest
import services
import uvicorn
from harness import COORDINATOR_TOKEN, Backend
from ngxlab.core import migrate
from ngxlab.core.config import Settings
from ngxlab.core.http_protocol import BoundedHttpProtocol
from ngxlab.main import create_app


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
    migrate.upgrade(settings.database_url.get_secret_value())
    config = uvicorn.Config(
        create_app(settings),
        port=settings.port,
        log_config=None,
        http=BoundedHttpProtocol,
        ws="none",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        services.wait_until(lambda: services.answers(settings.port), "the backend answering")
        reached = Backend(f"http://127.0.0.1:{settings.port}", settings)
        yield reached
        reached.close()
    finally:
        server.should_exit = True
        thread.join()
