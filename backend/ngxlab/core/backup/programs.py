"""PostgreSQL's own programs, told where the database is by their environment: a command line can be read by others."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from sqlalchemy import make_url

from ngxlab.core.backup.manifest import BackupError

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
    """Of this process, with libpq's variables for ``url``."""
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
