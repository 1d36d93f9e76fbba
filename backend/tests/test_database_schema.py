"""The database's schema and the models are one thing."""

import pytest
from alembic import command
from harness import Backend
from ngxlab.core import health, migrate
from ngxlab_contracts.version import VERSION


def test_the_models_are_what_the_migrations_make(backend: Backend) -> None:
    command.check(migrate.alembic_config(backend.settings.database_url.get_secret_value()))


def test_readiness_really_looks(backend: Backend) -> None:
    root = backend.url
    client = backend.client()
    assert client.get(f"{root}/healthz").json() == {"status": "ok", "version": VERSION}
    ready = client.get(f"{root}/readyz")
    assert ready.status_code == 200
    assert ready.json()["parts"] == {
        "postgresql": "ok",
        "redis": "ok",
        "live": "ok",
        "disk": "ok",
        "clock": "ok",
    }
    assert ready.json()["loops"]["clock"] < 45


def test_a_clock_that_stands_still_is_not_ready(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_OLD_S", -1.0)
    ready = backend.client().get(f"{backend.url}/readyz")
    assert ready.status_code == 503
    assert ready.json()["parts"]["clock"].startswith("last went round")
