"""The private PostgreSQL cluster: created once, reachable over loopback only, by the roles of the application.

``ngxlab_owner`` owns the database and runs the migrations. ``ngxlab_app``, which the backend is, reads and writes rows:
the migration command grants it that. Nobody can log in as the superuser: its statements, the ones here, run in
PostgreSQL's single-user mode while the server is stopped.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_urlsafe
from urllib.parse import urlsplit

from scripts.console import Failure, run
from scripts.stack.accounts import chown_tree, demoted
from scripts.stack.credentials import Passwords, write_private
from scripts.stack.settings import Settings
from scripts.stack.waiting import wait_healthy

DATABASE = "ngxlab"
OWNER = "ngxlab_owner"
APP = "ngxlab_app"
STAMP = "ngxlab.roles"
SPARE_BYTES = 256 << 20
"""What a proof leaves free on the disk: a full one would hold up everything."""
NO_RIGHTS = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
INSTALLED = Path("/usr/lib/postgresql")
USER = "postgres"
DEFAULT_PORT = 5432
SPARING = {
    "max_wal_size": "2GB",
    "wal_compression": "on",
    "wal_writer_delay": "5s",
    "bgwriter_delay": "2s",
    "autovacuum_naptime": "5min",
    "checkpoint_timeout": "30min",
}
"""What PostgreSQL does by the clock, it does seldom: it may share the machine with what is measured. The delay of the
WAL writer matters to commits that do not wait for the disk, which are those of signs of life; tables are vacuumed at
most five minutes after they need it; a checkpoint writes for most of the time until the next, ten times a second. Half
an hour of WAL, 2 GB at most, is read again after a crash. docker-compose.yml says the same."""


def folder(settings: Settings) -> Path:
    return settings.data / "postgres"


def url(settings: Settings, password: str) -> str:
    """The URL of the database for the backend: ``DATABASE_URL``, or the private cluster's."""
    own = f"postgresql://{APP}:{password}@127.0.0.1:{settings.postgres_port}/{DATABASE}"
    return settings.database_url or own


def migration_url(settings: Settings, password: str) -> str | None:
    """The URL for migrations, as the database's owner; ``None`` for a database that is not ours."""
    own = f"postgresql://{OWNER}:{password}@127.0.0.1:{settings.postgres_port}/{DATABASE}"
    return own if settings.database_url is None else None


def command(settings: Settings) -> list[str]:
    """The server in the foreground, with durability on: results matter more than a faster demonstration."""
    options = SPARING | {
        "listen_addresses": "127.0.0.1",
        "port": str(settings.postgres_port),
        "unix_socket_directories": "",
        "hba_file": str(_access_file(settings)),
        "shared_buffers": "128MB",
        "max_connections": "100",
        "password_encryption": "scram-sha-256",
        "log_line_prefix": "%m [%p] ",
        "timezone": "UTC",
        "log_timezone": "UTC",
    }
    flags = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    return [str(_binaries(settings) / "postgres"), "-D", str(folder(settings)), *flags]


def is_prepared(settings: Settings, passwords: Passwords) -> bool:
    """Whether there is a cluster whose roles have been made with these passwords by this version."""
    stamp = folder(settings) / STAMP
    return stamp.is_file() and stamp.read_text() == _digest(passwords)


def prepare(settings: Settings, passwords: Passwords) -> None:
    """Create the cluster where there is none, and bring its roles up to date. The server must not run."""
    if not folder(settings).exists():
        _create_cluster(settings)
    _ensure_roles(_binaries(settings) / "postgres", folder(settings), passwords)


def write_access_rules(settings: Settings) -> None:
    """Who may log in, before the server starts."""
    path = _access_file(settings)
    # What matches no line is refused, the superuser above all.
    write_private(path, f"host {DATABASE} {OWNER},{APP} 127.0.0.1/32 scram-sha-256\n")
    chown_tree(path, USER)


def _access_file(settings: Settings) -> Path:
    return settings.run / "pg_hba.conf"


def _create_cluster(settings: Settings) -> None:
    """An interrupted attempt leaves none."""
    final = folder(settings)
    draft = final.with_name("postgres.new")
    if draft.exists():
        shutil.rmtree(draft)
    draft.mkdir(mode=0o700)
    chown_tree(draft, USER)
    hint = f"look at the message above; is {settings.data} on a disk with free space that {USER} can reach?"
    initdb = [*demoted(USER), str(_binaries(settings) / "initdb"), "--username=postgres", "--auth=reject",
              "--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums", "-D", str(draft)]  # fmt: skip
    run(initdb, hint=hint, cwd=settings.data)
    _create_database(_binaries(settings) / "postgres", draft)
    draft.rename(final)


@contextmanager
def throwaway(settings: Settings) -> Iterator[str]:
    """A server with an empty database that lasts as long as the context; its URL. Its files lie in the data folder.

    Raises :class:`Failure` where it cannot be started, also for want of room.
    """
    place = settings.data / "proof"
    with _alone(settings):
        _require_room(settings)
        shutil.rmtree(place, ignore_errors=True)  # of a proof that was killed
        place.mkdir(mode=0o700)
        try:
            with _served(_binaries(settings), place) as url:
                yield url
        finally:
            shutil.rmtree(place)


@contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    with (settings.run / "proof.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Failure("another backup is being proven", "wait for its end") from error
        yield


def _require_room(settings: Settings) -> None:
    """What is restored takes as much as the original, and the backup's text beside it."""
    if settings.database_url is not None:
        return  # nobody knows here how large that database is
    needed = sum(path.lstat().st_size for path in (folder(settings) / "base").rglob("*"))
    if shutil.disk_usage(settings.data).free < needed + SPARE_BYTES:
        raise Failure(
            f"a proof needs {needed / 2**20:,.0f} MiB for a second database in {settings.data}, and there is less",
            "make room, or prove the backup on another machine: make restore there",
        )


@contextmanager
def _served(binaries: Path, place: Path) -> Iterator[str]:
    """A new cluster in ``place``, which nobody else can connect to: its password is in no file that lasts."""
    chown_tree(place, USER)
    password, secret = token_urlsafe(24), place / "password"
    write_private(secret, password)
    chown_tree(secret, USER)
    made = [*demoted(USER), str(binaries / "initdb"), "--username=proof", "--auth=scram-sha-256", "--no-sync",
            "--encoding=UTF8", "--locale=C.UTF-8", f"--pwfile={secret}", "-D", str(place / "data")]  # fmt: skip
    run(made, hint="see the message above", cwd=place)
    secret.unlink()
    port = _free_port()
    served = [*(demoted(USER) or ["setpriv"]), "--pdeathsig", "INT", str(binaries / "postgres"),
              "-D", str(place / "data"), "-c", "listen_addresses=127.0.0.1", "-c", f"port={port}",
              "-c", "unix_socket_directories=", "-c", "fsync=off"]  # fmt: skip
    asked = [str(binaries / "pg_isready"), "--host=127.0.0.1", f"--port={port}", "--timeout=2"]
    with (place / "log").open("w") as log, subprocess.Popen(served, cwd=place, stdout=log, stderr=log) as server:
        try:
            if wait_healthy(lambda: _unready(asked), 30):
                raise Failure("the database for the proof did not start", (place / "log").read_text()[-500:])
            yield f"postgresql://proof:{password}@127.0.0.1:{port}/postgres"
        finally:
            server.send_signal(signal.SIGINT)


def _unready(asked: list[str]) -> str | None:
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stdout.strip() or done.stderr.strip()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def complaint(settings: Settings) -> str | None:
    """Ask the server whether it accepts connections. ``None`` if so, else the reason why not."""
    host, port = address(settings)
    asked = [str(_binaries(settings) / "pg_isready"), "--host", host, "--port", str(port), "--timeout=2"]
    return _unready(asked)


def address(settings: Settings) -> tuple[str, int]:
    if settings.database_url is None:
        return "127.0.0.1", settings.postgres_port
    parts = urlsplit(settings.database_url)
    return parts.hostname or "localhost", parts.port or DEFAULT_PORT


def _binaries(settings: Settings) -> Path:
    """The folder of the server that matches the cluster's version, or of the newest for a new cluster."""
    version_file = folder(settings) / "PG_VERSION"
    try:
        version = version_file.read_text().strip()
    except (FileNotFoundError, NotADirectoryError):
        found = [
            path.name for path in INSTALLED.glob("*") if path.name.isdecimal() and os.access(path / "bin", os.X_OK)
        ]
        version = max(found, key=int, default="")
    binaries = INSTALLED / version / "bin"
    if not version or not (binaries / "postgres").exists():
        raise Failure(
            f"no PostgreSQL {version or 'server'} under {INSTALLED}",
            f"install it (make setup; or the package postgresql-{version or '15'}), or set DATABASE_URL",
        )
    return binaries


def _ensure_roles(server: Path, cluster: Path, passwords: Passwords) -> None:
    """Make the roles, or change them to what they should be. ``server``: the program; it must not run on ``cluster``.

    Raises :class:`Failure` where PostgreSQL refuses.
    """
    _as_superuser(server, cluster, "postgres", _role_statements(passwords))
    _as_superuser(server, cluster, DATABASE, _ownership_statements())
    stamp = cluster / STAMP
    stamp.write_text(_digest(passwords))
    chown_tree(stamp, USER)


def _role_statements(passwords: Passwords) -> list[str]:
    return [
        *_made(OWNER, passwords.owner),
        *_made(APP, passwords.app),
        "ALTER ROLE postgres PASSWORD NULL",
        f"ALTER DATABASE {DATABASE} OWNER TO {OWNER}",
        f"REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC",
        f"GRANT CONNECT ON DATABASE {DATABASE} TO {APP}",
    ]


def _made(role: str, password: str) -> list[str]:
    exists = f"EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}')"
    return [
        f"DO $$ BEGIN IF NOT {exists} THEN CREATE ROLE {role}; END IF; END $$",
        f"ALTER ROLE {role} LOGIN PASSWORD '{password}' {NO_RIGHTS}",
    ]


def _ownership_statements() -> list[str]:
    return [f"ALTER SCHEMA public OWNER TO {OWNER}", "REVOKE ALL ON SCHEMA public FROM PUBLIC"]


def _as_superuser(server: Path, cluster: Path, database: str, statements: list[str]) -> None:
    """Each statement is a line of standard input; none of them gets into a log, as some hold passwords."""
    single = [*demoted(USER), str(server), "--single", "-D", str(cluster), "-c", "exit_on_error=on",
              "-c", "log_min_error_statement=panic", database]  # fmt: skip
    text = "".join(f"{statement};\n" for statement in statements)
    done = subprocess.run(single, input=text, capture_output=True, text=True, check=False, cwd=cluster.parent)
    if done.returncode != 0:
        raise Failure(f"PostgreSQL could not set up its roles:\n{done.stderr}", "see the message above")


def _create_database(server: Path, cluster: Path) -> None:
    _as_superuser(server, cluster, "postgres", [f"CREATE DATABASE {DATABASE}"])


def _digest(passwords: Passwords) -> str:
    statements = [*_role_statements(passwords), *_ownership_statements()]
    return hashlib.sha256("\n".join(statements).encode()).hexdigest()
