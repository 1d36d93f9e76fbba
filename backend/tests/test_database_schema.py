"""The database's schema and the models are one thing."""

from alembic import command
from harness import Backend
from ngxlab.core import migrate


def test_the_models_are_what_the_migrations_make(backend: Backend) -> None:
    command.check(migrate.alembic_config(backend.settings.database_url.get_secret_value()))


def test_readiness_really_looks(backend: Backend) -> None:
    root = backend.url
    client = backend.client()
    assert client.get(f"{root}/healthz").json() == {"status": "ok"}
    ready = client.get(f"{root}/readyz")
    assert ready.status_code == 200
    assert ready.json()["parts"] == {"postgresql": "ok", "redis": "ok", "live": "ok"}
