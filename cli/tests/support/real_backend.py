"""The real backend on PostgreSQL and Redis of its own, for tests of clients of its REST API."""

from collections.abc import Iterator
from contextlib import contextmanager

import services
from harness import Backend
from ngxlab.core import migrate
from serving import private_settings, serving


@contextmanager
def running_backend() -> Iterator[Backend]:
    """Behind a real HTTP server in a thread."""
    with services.postgresql() as postgresql_url, services.redis() as redis_url:
        settings = private_settings(postgresql_url, redis_url)
        migrate.upgrade(settings.database_url.get_secret_value())
        with serving(settings) as backend:
            yield backend
