"""A real backend for tests: PostgreSQL, Redis and uvicorn, private to this test process."""

from collections.abc import Iterator

import pytest
import services
from argon2 import PasswordHasher
from harness import Backend
from ngxlab.accounts import secrets
from ngxlab.core import migrate
from ngxlab.core.config import Settings
from serving import own_database, private_settings, serving


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """Argon2 is slow by design; hundreds of wrong passwords need not be."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "_hasher", quick)
        patch.setattr(secrets, "_UNKNOWN_ACCOUNT_HASH", quick.hash("nobody's"))
        yield


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
    return private_settings(postgresql_url, redis_url)


@pytest.fixture(scope="session")
def migrated(settings: Settings) -> Settings:
    """Settings whose database has the current schema."""
    migrate.upgrade(settings.database_url.get_secret_value())
    return settings


@pytest.fixture(scope="session")
def backend(migrated: Settings) -> Iterator[Backend]:
    """The application behind a real HTTP server; tests share it and keep apart by their own accounts and hosts."""
    with serving(migrated) as reached:
        yield reached


@pytest.fixture
def empty_lab(postgresql_url: str) -> Iterator[Backend]:
    """An installation of its own, without any account or run: for what looks at all of them, as a coordinator does."""
    with own_database(postgresql_url) as settings, serving(settings) as reached:
        yield reached
