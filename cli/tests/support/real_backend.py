"""The real backend on PostgreSQL and Redis of its own, for tests of clients of its REST API."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import services
import uvicorn
from harness import COORDINATOR_TOKEN, Backend
from ngxlab.core import migrate
from ngxlab.core.config import Settings
from ngxlab.main import create_app


@contextmanager
def running_upstream_server() -> Iterator[Backend]:
    """Behind a real HTTP server in a thread."""
    with services.postgresql() as postgresql_url, services.redis() as redis_url:
        settings = Settings(
            DATABASE_URL=postgresql_url,
            REDIS_URL=redis_url,
            coordinator_token=COORDINATOR_TOKEN,
            port=services.free_port(),
            log_level="WARNING",
        )
        migrate.upgrade(settings.database_url.get_secret_value())
        config = uvicorn.Config(
            create_app(settings), port=settings.port, log_config=None, timeout_graceful_shutdown=1, proxy_headers=False
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
