"""The database's schema and the models are one thing."""

import asyncio

import asyncpg
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


@pytest.mark.parametrize(
    ("schema", "advice"),
    [("9999", "a newer version of ngxlab made: start that version"), ("0026", "run the migrations")],
)
def test_readiness_says_what_mends_another_schema(backend: Backend, schema: str, advice: str) -> None:
    async def stamp(revision: str) -> str:
        url = backend.settings.database_url.get_secret_value()
        connection = await asyncpg.connect(url.replace("postgresql+asyncpg", "postgresql"))
        before = await connection.fetchval("SELECT version_num FROM alembic_version")
        await connection.execute("UPDATE alembic_version SET version_num = $1", revision)
        await connection.close()
        return str(before)

    head = asyncio.run(stamp(schema))
    try:
        ready = backend.client().get(f"{backend.url}/readyz")
    finally:
        asyncio.run(stamp(head))
    assert ready.status_code == 503
    assert advice in ready.json()["parts"]["postgresql"]


def test_a_clock_that_stands_still_is_not_ready(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_OLD_S", -1.0)
    ready = backend.client().get(f"{backend.url}/readyz")
    assert ready.status_code == 503
    assert ready.json()["parts"]["clock"].startswith("last went round")
