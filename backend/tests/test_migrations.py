"""What is stored survives from version 0.9.0 on; a database that cannot be taken over is refused, and left alone."""

import asyncio
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from alembic import command
from alembic.script import ScriptDirectory
from ngxlab.core import migrate

_DUMP = Path(__file__).parents[2] / "scripts" / "tests" / "fixtures" / "schema-0026.dump"
"""A database that the 26 migrations before 0.9.0 have made, with a finished run (see scripts/tests/test_upgrade.py)."""


def test_migrations_are_named_by_their_schemas_and_follow_each_other() -> None:
    scripts = ScriptDirectory(str(migrate.MIGRATIONS))
    chain = [script.revision for script in scripts.walk_revisions()]
    assert chain == sorted(migrate.revisions(), reverse=True)
    assert scripts.get_heads() == [migrate.head()]


@pytest.fixture
def databases(postgresql_url: str) -> Iterator[Callable[[], str]]:
    """Makes databases without any tables; each call returns the URL of another."""
    made: list[str] = []

    def make() -> str:
        made.append(f"before_{uuid4().hex[:8]}")
        _ask(postgresql_url, f"CREATE DATABASE {made[-1]}")
        return f"{postgresql_url.rpartition('/')[0]}/{made[-1]}"

    yield make
    for name in made:
        _ask(postgresql_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database(databases: Callable[[], str]) -> str:
    """The URL of a database without any tables."""
    return databases()


@pytest.fixture
def earlier(databases: Callable[[], str]) -> str:
    """The URL of a database with data from before 0.9.0."""
    url = databases()
    subprocess.run([_program("pg_restore"), "--no-owner", "--exit-on-error", f"--dbname={url}", _DUMP], check=True)
    return url


def _program(name: str) -> str:
    found = shutil.which(name)
    assert found is not None
    return found


def _ask(url: str, statement: str) -> Any:
    async def work() -> Any:
        connection = await asyncpg.connect(url)
        try:
            return [tuple(row) for row in await connection.fetch(statement)]
        finally:
            await connection.close()

    return asyncio.run(work())


def _driven(url: str) -> str:
    return url.replace("postgresql://", "postgresql+asyncpg://")


def _schema(url: str) -> str:
    dump = [_program("pg_dump"), "--schema-only", "--no-owner", "--no-privileges", f"--dbname={url}"]
    return subprocess.run(dump, check=True, capture_output=True, text=True).stdout


def _statements(schema: str) -> list[str]:
    """Without the key that pg_dump draws anew for each dump."""
    return [line for line in schema.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]


def test_the_first_migration_makes_what_those_before_it_made(earlier: str, databases: Callable[[], str]) -> None:
    made, restored = databases(), databases()
    command.upgrade(migrate.alembic_config(_driven(made)), migrate.FIRST)
    psql = [_program("psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", restored]
    subprocess.run(psql, input=_schema(made), text=True, check=True, capture_output=True)  # rewrites CHECKs, as a dump
    assert _statements(_schema(restored)) == _statements(_schema(earlier))
    assert "CREATE TABLE public.run (" in _schema(restored)


def _contents(url: str) -> dict[str, tuple[int, str]]:
    """How many rows each table of the dump has, and a digest of what they say."""
    tables = _ask(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'")
    asked = "SELECT count(*), md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) FROM {} AS t"
    return {name: _ask(url, asked.format(name))[0] for (name,) in tables}


def test_data_from_before_are_taken_over_as_they_are(earlier: str) -> None:
    before = _contents(earlier)
    assert before["run"][0] == 1
    command.upgrade(migrate.alembic_config(_driven(earlier)), migrate.FIRST)
    assert _contents(earlier) == before


def test_data_from_before_come_to_the_present_schema(earlier: str) -> None:
    counts = {name: rows for name, (rows, _) in _contents(earlier).items()}
    migrate.upgrade(_driven(earlier))
    command.check(migrate.alembic_config(_driven(earlier)))
    after = {name: rows for name, (rows, _) in _contents(earlier).items()}
    for name in ("account", "experiment", "experiment_version", "run", "trial", "host", "frame", "frame_block"):
        assert after[name] == counts[name], name


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("0019", f"schema 0019, and this version takes over 0026 and later ones. Start {migrate.GO_THROUGH}"),
        ("9999", "schema 9999, which a newer version of ngxlab made"),
    ],
)
def test_another_schema_is_refused_and_left_alone(database: str, schema: str, why: str) -> None:
    _ask(database, "CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY)")
    _ask(database, f"INSERT INTO alembic_version VALUES ('{schema}')")
    with pytest.raises(migrate.UnfitDatabaseError) as refused:
        migrate.upgrade(_driven(database))
    assert why in str(refused.value)
    assert _ask(database, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == [("alembic_version",)]
    assert _ask(database, "SELECT version_num FROM alembic_version") == [(schema,)]
