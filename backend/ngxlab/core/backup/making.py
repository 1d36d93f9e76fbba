"""Make a backup: one snapshot, dumped and counted, in a ZIP file that appears only when it is complete."""

import asyncio
import hashlib
import os
import tempfile
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from ngxlab.core.backup.manifest import DUMP, MANIFEST, BackupError, Manifest
from ngxlab.core.backup.programs import printed


def back_up(url: str, file: Path) -> Manifest:
    """Write a backup of the database at ``url`` to ``file``, which only its owner may read. Returns what it says.

    Runs beside the server, in one read-only snapshot. Raises :class:`BackupError`; then ``file`` is as it was before.
    """
    return asyncio.run(_back_up(url, file))


async def _back_up(url: str, file: Path) -> Manifest:
    async with _snapshot(url) as (connection, snapshot):
        revision = await connection.scalar(text("SELECT version_num FROM alembic_version"))
        server = await connection.scalar(text("SHOW server_version"))
        rows = await _count(connection)
        draft = _draft_beside(file)
        try:
            with zipfile.ZipFile(draft, "w", zipfile.ZIP_STORED) as archive:
                with archive.open(DUMP, "w", force_zip64=True) as target:
                    digest = await asyncio.to_thread(_dump, url, snapshot, target)
                manifest = Manifest(
                    made_at=datetime.now(UTC),
                    schema_revision=str(revision),
                    postgresql=str(server),
                    rows=rows,
                    sha256=digest,
                )
                archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
            _settle(draft, file)
        finally:
            draft.unlink(missing_ok=True)
    return manifest


@asynccontextmanager
async def _snapshot(url: str) -> AsyncIterator[tuple[AsyncConnection, str]]:
    """A transaction, and the name under which other connections see what it sees."""
    engine = create_async_engine(url, isolation_level="REPEATABLE READ")
    try:
        async with engine.connect() as connection:
            await connection.execute(text("SET TRANSACTION READ ONLY"))
            yield connection, str(await connection.scalar(text("SELECT pg_export_snapshot()")))
    finally:
        await engine.dispose()


async def _count(connection: AsyncConnection) -> dict[str, int]:
    names = await connection.scalars(
        text("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
    )
    quote = connection.dialect.identifier_preparer.quote
    counted = {name: await connection.scalar(text(f"SELECT count(*) FROM {quote(name)}")) for name in names}  # noqa: S608
    return {name: int(rows or 0) for name, rows in counted.items()}


def _dump(url: str, snapshot: str, target: IO[bytes]) -> str:
    """Write the dump; its SHA-256."""
    digest = hashlib.sha256()
    options = ("--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}")
    for chunk in printed("pg_dump", *options, url=url):
        digest.update(chunk)
        target.write(chunk)
    return digest.hexdigest()


def _draft_beside(file: Path) -> Path:
    try:
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)  # mode 0600
    except OSError as error:
        raise BackupError(f"cannot write to {file.parent}: {error.strerror}") from error
    os.close(handle)
    return Path(name)


def _settle(draft: Path, file: Path) -> None:
    with draft.open("rb") as written:
        os.fsync(written.fileno())
    draft.replace(file)
