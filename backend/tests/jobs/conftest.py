"""For each file a database of its own, with a backend and no jobs service."""

from collections.abc import Iterator

import pytest
from jobs.lab import Lab
from ngxlab.core.config import Settings
from redis import Redis
from serving import own_database, serving


@pytest.fixture(scope="module")
def lab_settings(postgresql_url: str) -> Iterator[Settings]:
    with own_database(postgresql_url) as settings:
        yield settings


@pytest.fixture(scope="module")
def alone(lab_settings: Settings) -> Iterator[Lab]:
    """A backend without a jobs service."""
    with (
        serving(lab_settings, alone=True) as backend,
        Redis.from_url(lab_settings.redis_url.get_secret_value()) as redis,
    ):
        yield Lab(backend, redis)
