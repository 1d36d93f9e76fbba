"""Restore a backup: everything or nothing, and only what is proven to be what was dumped."""

import asyncio
import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from pydantic import ValidationError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from ngxlab.core.backup.manifest import DUMP, MANIFEST, BackupError, Manifest
from ngxlab.core.backup.programs import CHUNK, fed, printed
from ngxlab.core.migrate import require_utf8

_BEGIN = b"\\set ON_ERROR_STOP on\nBEGIN;\nDROP SCHEMA public CASCADE; CREATE SCHEMA public;\n"

_OF_VERSION_17 = b"\nSET transaction_timeout = 0;\n"
"""At the head of what pg_restore prints from version 17 on. It is the default, and older servers refuse the name."""


def examine(file: Path) -> Manifest:
    """Read ``file`` whole. Raises :class:`BackupError` where it is damaged, no backup, or of a newer version."""
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = Manifest.model_validate_json(archive.read(MANIFEST))
            manifest.require_readable()
            with archive.open(DUMP) as dump:
                digest = hashlib.file_digest(cast("Any", dump), "sha256").hexdigest()
    except (OSError, zipfile.BadZipFile, KeyError, ValidationError) as error:
        raise BackupError(f"{file} is no complete backup of ngxlab: {error}") from error
    if digest != manifest.sha256:
        raise BackupError(f"{file} is damaged: the dump's SHA-256 is not the manifest's")
    return manifest


def restore(url: str, file: Path, *, replace: bool) -> Manifest:
    """Replace what the database at ``url`` has by the backup, in one transaction. ``url``: as its owner.

    The schema is then the backup's: migrations follow. Raises :class:`BackupError` where the backup is not sound,
    where somebody uses the database, or where it has experiments and ``replace`` does not say to delete them; and
    ``UnfitDatabaseError``.
    """
    manifest = examine(file)
    asyncio.run(_require_unused(url, replace=replace))
    quiet = ("--no-psqlrc", "--quiet", "--output=/dev/null")
    with zipfile.ZipFile(file) as archive, archive.open(DUMP) as dump, fed("psql", *quiet, url=url) as send:
        send(_BEGIN)
        for part in _statements(dump):  # an error here ends psql without COMMIT, so that nothing has happened
            send(part)
        send(_proof(manifest) + b"COMMIT;\n")
    return manifest


async def _require_unused(url: str, *, replace: bool) -> None:
    engine = create_async_engine(url)
    others = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " AND backend_type = 'client backend'"
    )
    try:
        async with engine.connect() as connection:
            if await connection.scalar(others):
                raise BackupError("the database is in use: stop the server first")
            await require_utf8(connection)
            if replace or await connection.scalar(text("SELECT to_regclass('public.experiment')")) is None:
                return
            if await connection.scalar(text("SELECT EXISTS (SELECT FROM experiment)")):
                raise BackupError("the database has experiments already; --replace deletes them and all their runs")
    finally:
        await engine.dispose()


def _statements(dump: IO[bytes]) -> Iterator[bytes]:
    """The dump as SQL. Raises :class:`BackupError` at the end unless all of it could be read."""
    with tempfile.TemporaryFile() as plain:
        shutil.copyfileobj(dump, plain, CHUNK)
        plain.seek(0)
        parts = printed("pg_restore", "--no-owner", "--no-privileges", "--file=-", given=plain)
        yield next(parts, b"").replace(_OF_VERSION_17, b"\n", 1)
        yield from parts


def _proof(manifest: Manifest) -> bytes:
    """Statements that fail unless every table has as many rows as were counted."""
    checks = [
        f"IF (SELECT count(*) FROM public.{name}) <> {rows} THEN RAISE EXCEPTION 'rows of {name} are missing'; END IF;"  # noqa: S608
        for name, rows in manifest.rows.items()
    ]
    return "\n".join(["DO $proof$ BEGIN", *checks, "END $proof$;\n"]).encode()
