"""Backups of the whole database in one file, made while the server runs, and restored elsewhere.

The database holds everything that lasts, kept files of trials included, so that one consistent dump of it is all. The
ZIP file appears only when it is complete, and its manifest lets a restore refuse it before it touches anything. The
database's address is in the environment of PostgreSQL's programs, since others can read a command line.
"""

import asyncio
import hashlib
import os
import shutil
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Annotated, Any, Literal, cast

from ngxlab_contracts.version import VERSION
from pydantic import BaseModel, Field
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from ngxlab.core.migrate import FIRST, GO_THROUGH, require_utf8, revisions

CHUNK = 1 << 20
_SHOWN_LINES = 5
_INSTALLED = Path("/usr/lib/postgresql")


def program(name: str) -> str:
    """The newest installed ``pg_dump``, ``pg_restore`` or ``psql``: each reads the servers and dumps of older ones."""
    versions = [path for path in _INSTALLED.glob("*") if path.name.isdecimal() and (path / "bin" / name).exists()]
    if versions:
        return str(max(versions, key=lambda path: int(path.name)) / "bin" / name)
    found = shutil.which(name)
    if found is None:
        raise BackupError(f"{name} is missing: install the package postgresql-client")
    return found


def _environment(url: str) -> dict[str, str]:
    """This process's environment with libpq's variables for ``url``."""
    parts = make_url(url)
    told = {
        "PGHOST": parts.host,
        "PGPORT": str(parts.port) if parts.port else None,
        "PGUSER": parts.username,
        "PGPASSWORD": parts.password,
        "PGDATABASE": parts.database,
        "PGSSLMODE": parts.query.get("sslmode") or parts.query.get("ssl"),
    }
    return os.environ | {name: str(value) for name, value in told.items() if value}


def printed(name: str, *arguments: str, url: str = "", given: IO[bytes] | None = None) -> Iterator[bytes]:
    """What a program prints, in chunks. Raises :class:`BackupError` at the end where the program failed."""
    with tempfile.TemporaryFile() as said:
        with _started(name, arguments, url, stdin=given, stdout=subprocess.PIPE, stderr=said) as process:
            while process.stdout and (chunk := process.stdout.read(CHUNK)):
                yield chunk
        _require_success(name, process, said)


@contextmanager
def fed(name: str, *arguments: str, url: str) -> Iterator[Callable[[bytes], object]]:
    """A function that sends to a program. Raises :class:`BackupError` where the program failed."""
    with tempfile.TemporaryFile() as said:
        with (
            _started(name, arguments, url, stdin=subprocess.PIPE, stdout=None, stderr=said) as process,
            suppress(BrokenPipeError),  # the program has refused what it read, and says so
        ):
            stdin = cast("IO[bytes]", process.stdin)
            yield stdin.write
            stdin.close()
        _require_success(name, process, said)


def _started(
    name: str, arguments: Sequence[str], url: str, **streams: IO[bytes] | int | None
) -> "subprocess.Popen[bytes]":
    told = _environment(url) if url else os.environ
    return subprocess.Popen([program(name), *arguments], env=told, **cast("Any", streams))


def _require_success(name: str, process: "subprocess.Popen[bytes]", said: IO[bytes]) -> None:
    if process.returncode == 0:
        return
    said.seek(0)
    tail = "\n".join(said.read().decode(errors="replace").strip().splitlines()[-_SHOWN_LINES:])
    raise BackupError(f"{name} ended with {process.returncode}: {tail}")


FORMAT = 1
DUMP = "database.dump"
MANIFEST = "manifest.json"


class BackupError(Exception):
    """A backup cannot be made or restored. The message says what to do."""


class Manifest(BaseModel):
    """``rows``: of every table, in the snapshot that was dumped. ``sha256``: of ``database.dump``."""

    product: Literal["ngxlab"] = "ngxlab"
    format: int = FORMAT
    made_at: datetime
    ngxlab: Annotated[str, Field(description="version of the server")] = VERSION
    schema_revision: str
    postgresql: str
    rows: dict[Annotated[str, Field(pattern=r"^[a-z_]+$")], int]
    sha256: str

    def require_readable(self) -> None:
        """Raises :class:`BackupError` for a backup of a newer version, or of one before 0.9.0."""
        if self.format > FORMAT:
            raise BackupError(f"the backup has format {self.format}, this version reads up to {FORMAT}: {_NEWER}")
        schema = f"schema {self.schema_revision} (of ngxlab {self.ngxlab})"
        if self.schema_revision < FIRST:
            raise BackupError(
                f"the backup has {schema}, and this version takes over {FIRST} and later ones: restore it with "
                f"{GO_THROUGH}, and back it up again"
            )
        if self.schema_revision not in revisions():
            raise BackupError(f"the backup has {schema}, unknown to this version: {_NEWER}")


_NEWER = "restore it with the version that made it, or a newer one"


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


_BEGIN = b"\\set ON_ERROR_STOP on\nBEGIN;\nDROP SCHEMA public CASCADE; CREATE SCHEMA public;\n"

_OF_VERSION_17 = b"\nSET transaction_timeout = 0;\n"
"""pg_restore begins with this line from version 17 on. It is the default, and older servers refuse the name."""


BROKEN_ZIP = (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
"""What reading a damaged ZIP file raises: the last three where it claims to be of a kind that nobody can read."""


def examine(file: Path) -> Manifest:
    """Read ``file`` whole. Raises :class:`BackupError` where it is damaged, no backup, or of a newer version."""
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = Manifest.model_validate_json(archive.read(MANIFEST))
            manifest.require_readable()
            with archive.open(DUMP) as dump:
                digest = hashlib.file_digest(cast("Any", dump), "sha256").hexdigest()
    except (*BROKEN_ZIP, KeyError) as error:
        raise BackupError(f"{file} is no complete backup of ngxlab: {error}") from error
    if digest != manifest.sha256:
        raise BackupError(f"{file} is damaged: the dump's SHA-256 is not the manifest's")
    return manifest


def restore(url: str, file: Path, *, replace: bool, is_real: bool = False) -> Manifest:
    """Replace what the database at ``url`` has by the backup, in one transaction. ``url``: as its owner.

    What is restored is a rehearsal (:mod:`ngxlab.core.rehearsal`), unless it ``is_real``.

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
        send(_proof(manifest) + _mark(manifest, is_real=is_real) + b"COMMIT;\n")
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


_REHEARSAL = """
CREATE TABLE IF NOT EXISTS public.rehearsal (
    only_one BOOLEAN DEFAULT true CONSTRAINT pk_rehearsal PRIMARY KEY CONSTRAINT ck_rehearsal_only_one CHECK (only_one),
    backup_of TIMESTAMP WITH TIME ZONE NOT NULL,
    since TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL
);
DELETE FROM public.rehearsal;
"""
"""The backup may be of a schema that has no such table, or itself of a rehearsal."""


def _mark(manifest: Manifest, *, is_real: bool) -> bytes:
    """Statements that make it a rehearsal, or none."""
    moment = manifest.made_at.astimezone(UTC).isoformat()
    entry = "" if is_real else f"INSERT INTO public.rehearsal (backup_of) VALUES ('{moment}');\n"  # noqa: S608
    return f"{_REHEARSAL}{entry}".encode()
