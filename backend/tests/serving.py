"""The application behind a real HTTP server, in a thread."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import services
import uvicorn
from harness import COORDINATOR_TOKEN, Backend
from ngxlab.core.config import Settings
from ngxlab.core.connections.http_protocol import BoundedHttpProtocol
from ngxlab.main import create_app
from pydantic import SecretStr


def private_settings(postgresql_url: str, redis_url: str) -> Settings:
    """Of a backend of the tests' own, on a free port."""
    return Settings(
        DATABASE_URL=SecretStr(postgresql_url),
        REDIS_URL=SecretStr(redis_url),
        coordinator_token=SecretStr(COORDINATOR_TOKEN),
        port=services.free_port(),
        log_level="WARNING",
    )


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
