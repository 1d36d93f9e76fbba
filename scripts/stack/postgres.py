"""The private PostgreSQL cluster: created once, reachable over loopback only and with a password."""

import os
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from scripts.console import Failure, run
from scripts.stack.accounts import chown_tree, demoted
from scripts.stack.credentials import write_private
from scripts.stack.settings import Settings

INSTALLED = Path("/usr/lib/postgresql")
USER = "postgres"
DATABASE = "ngxlab"
DEFAULT_PORT = 5432


def folder(settings: Settings) -> Path:
    return settings.data / "postgres"


def url(settings: Settings, password: str) -> str:
    """The URL of the database: ``DATABASE_URL``, or the private cluster's."""
    own = f"postgresql://{DATABASE}:{password}@127.0.0.1:{settings.postgres_port}/{DATABASE}"
    return settings.database_url or own


def command(settings: Settings) -> list[str]:
    """The server in the foreground, with durability on: results matter more than a faster demonstration."""
    options = {
        "listen_addresses": "127.0.0.1",
        "port": str(settings.postgres_port),
        "unix_socket_directories": "",
        "shared_buffers": "128MB",
        "max_connections": "100",
        "max_wal_size": "2GB",
        "wal_compression": "on",
        "password_encryption": "scram-sha-256",
        "log_line_prefix": "%m [%p] ",
        "timezone": "UTC",
        "log_timezone": "UTC",
    }
    flags = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    return [str(_binaries(settings) / "postgres"), "-D", str(folder(settings)), *flags]


def ensure_cluster(settings: Settings, password: str) -> None:
    """Create cluster, role and database unless there is a cluster. An interrupted attempt leaves none."""
    final = folder(settings)
    if final.exists():
        return
    draft = final.with_name("postgres.new")
    if draft.exists():
        shutil.rmtree(draft)
    draft.mkdir(mode=0o700)
    chown_tree(draft, USER)
    hint = f"look at the message above; is {settings.data} on a disk with free space that {USER} can reach?"
    as_user = demoted(USER)
    initdb = [*as_user, str(_binaries(settings) / "initdb"), "--username=postgres", "--auth=scram-sha-256",
              "--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums", "-D", str(draft)]  # fmt: skip
    password_file = settings.run / "initdb-password"
    write_private(password_file, password)
    chown_tree(password_file, USER)
    try:
        run([*initdb, f"--pwfile={password_file}"], hint=hint, cwd=settings.data)
    finally:
        password_file.unlink()
    _create_database(settings, draft, password)
    draft.rename(final)


def _create_database(settings: Settings, cluster: Path, password: str) -> None:
    """Create role and database in single-user mode: the password goes through a pipe, and no port is open."""
    statements = f"CREATE ROLE {DATABASE} LOGIN PASSWORD '{password}';\nCREATE DATABASE {DATABASE} OWNER {DATABASE};\n"
    single = [*demoted(USER), str(_binaries(settings) / "postgres"), "--single", "-D", str(cluster),
              "-c", "exit_on_error=on", "postgres"]  # fmt: skip
    done = subprocess.run(single, input=statements, capture_output=True, text=True, check=False, cwd=settings.data)
    if done.returncode != 0:
        raise Failure(f"PostgreSQL could not create the database:\n{done.stderr}", "see the message above")


def complaint(settings: Settings) -> str | None:
    """Ask the server whether it accepts connections. ``None`` if so, else the reason why not."""
    host, port = address(settings)
    asked = [str(_binaries(settings) / "pg_isready"), "--host", host, "--port", str(port), "--timeout=2"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stdout.strip() or done.stderr.strip()


def address(settings: Settings) -> tuple[str, int]:
    """Host and port of the database in use."""
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
