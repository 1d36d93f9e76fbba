"""Bring a database to the current schema."""

import asyncio
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from ngxlab.core.config import Settings

if TYPE_CHECKING:
    from alembic.config import Config

_PACKAGED, _REPOSITORY = (Path(__file__).resolve().parents[up] / "migrations" for up in (1, 3))
MIGRATIONS = _PACKAGED if _PACKAGED.is_dir() else _REPOSITORY
"""Migrations lie beside the code in a wheel; else at the top of the repository, whose layout the image keeps."""

FIRST = "0026"
"""The schema that version 0.9.0 begins with. A database at it was made by this version or by the last one before."""
GO_THROUGH = "commit dd50f43b, the last version before 0.9.0"


def alembic_config(url: str) -> "Config":
    from alembic.config import Config  # noqa: PLC0415 (a fifth of a second that a server need not wait for)

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["url"] = url  # it never comes from a file
    return config


class UnfitDatabaseError(Exception):
    """The database cannot hold what ngxlab stores. The message says what to create instead."""


def owners_url(settings: Settings) -> str:
    """The address by which the owner of the tables connects."""
    return (settings.migration_database_url or settings.database_url).get_secret_value()


def migrate_database(settings: Settings) -> None:
    """Bring the schema up to date, and let the server's own role use its rows."""
    upgrade(owners_url(settings))
    grant_rows(owners_url(settings), settings.database_url.get_secret_value())


def upgrade(url: str) -> None:
    """Run all missing migrations. Concurrent calls wait for each other. Raises :class:`UnfitDatabaseError`."""
    from alembic import command  # noqa: PLC0415 (as above)

    asyncio.run(_require_fit(url))
    command.upgrade(alembic_config(url), "head")


async def _require_fit(url: str) -> None:
    engine = create_async_engine(url)
    try:
        async with engine.connect() as connection:
            await require_utf8(connection)
            await _require_known_schema(connection)
    finally:
        await engine.dispose()


@cache
def revisions() -> set[str]:
    """All schemas that this version can bring to its own."""
    return {path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("*.py")}


def head() -> str:
    """The schema of this version. Each migration follows the one before it."""
    return max(revisions())


async def _require_known_schema(connection: AsyncConnection) -> None:
    if await connection.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return
    asked = text("SELECT current_database(), version_num FROM alembic_version")
    for name, schema in await connection.execute(asked):
        if schema < FIRST:
            raise UnfitDatabaseError(
                f"The database {name} has schema {schema}, and this version takes over {FIRST} and later ones. "
                f"Start {GO_THROUGH}, on it once; then start this version."
            )
        if schema not in revisions():
            raise UnfitDatabaseError(
                f"The database {name} has schema {schema}, which a newer version of ngxlab made: start that version."
            )


async def require_utf8(connection: AsyncConnection) -> None:
    """Other encodings refuse some of what people write; SQL_ASCII takes any bytes for text.

    Raises :class:`UnfitDatabaseError`.
    """
    asked = text("SELECT current_database(), current_setting('server_encoding')")
    name, encoding = (await connection.execute(asked)).one()
    if encoding != "UTF8":
        raise UnfitDatabaseError(
            f"The database {name} has the encoding {encoding}; ngxlab needs UTF8, which is chosen when a database is "
            "made. Make another, for instance by `createdb --template=template0 --encoding=UTF8 --locale=C.UTF-8 NAME`"
            ", and name it in DATABASE_URL."
        )


def grant_rows(owner_url: str, app_url: str) -> None:
    """Let the role of ``app_url`` read and write rows of what the owner has made; and nothing else."""
    app = make_url(app_url).username
    if app is None or app == make_url(owner_url).username:
        return
    asyncio.run(_grant(owner_url, app))


async def _grant(owner_url: str, app: str) -> None:
    engine = create_async_engine(owner_url)
    role = engine.dialect.identifier_preparer.quote(app)
    async with engine.begin() as connection:
        for what in (
            "USAGE ON SCHEMA public",
            "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public",
            "USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public",
        ):
            await connection.execute(text(f"GRANT {what} TO {role}"))
        await connection.execute(text(f"REVOKE INSERT, UPDATE, DELETE ON alembic_version FROM {role}"))
    await engine.dispose()
