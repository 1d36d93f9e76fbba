"""Run by Alembic: connects with the URL that :mod:`ngxlab.core.migrate` hands over."""

import asyncio

from alembic import context
from ngxlab.models import Base
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine

_ADVISORY_LOCK = 0x6E67786D  # "ngxm": two migrations at once take turns


def _migrate(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=Base.metadata, compare_type=True)
    with context.begin_transaction():
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))
        context.run_migrations()


async def _run() -> None:
    engine = create_async_engine(context.config.attributes["url"])
    async with engine.connect() as connection:
        await connection.run_sync(_migrate)
    await engine.dispose()


asyncio.run(_run())
