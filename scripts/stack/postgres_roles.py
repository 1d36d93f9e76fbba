"""The roles of the private PostgreSQL, and who may log in.

``ngxlab_owner`` owns the database and runs the migrations. ``ngxlab_app``, which the backend is, reads and writes rows:
the migration command grants it that. Nobody can log in as the superuser: its statements, the ones here, run in
PostgreSQL's single-user mode while the server is stopped.
"""

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scripts.console import Failure
from scripts.stack.accounts import chown_tree, demoted

DATABASE = "ngxlab"
OWNER = "ngxlab_owner"
APP = "ngxlab_app"
SERVER_USER = "postgres"
STAMP = "ngxlab.roles"
NO_RIGHTS = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"


@dataclass(frozen=True)
class Passwords:
    owner: str
    app: str


def access_rules() -> str:
    """pg_hba.conf: what matches no line is refused, the superuser above all."""
    return f"host {DATABASE} {OWNER},{APP} 127.0.0.1/32 scram-sha-256\n"


def are_current(cluster: Path, passwords: Passwords) -> bool:
    """Whether the roles of ``cluster`` have been made with these passwords by this version."""
    stamp = cluster / STAMP
    return stamp.is_file() and stamp.read_text() == _digest(passwords)


def ensure(server: Path, cluster: Path, passwords: Passwords) -> None:
    """Make the roles, or change them to what they should be. ``server``: the program; it must not run on ``cluster``.

    Raises :class:`Failure` where PostgreSQL refuses.
    """
    _as_superuser(server, cluster, "postgres", _role_statements(passwords))
    _as_superuser(server, cluster, DATABASE, _ownership_statements())
    stamp = cluster / STAMP
    stamp.write_text(_digest(passwords))
    chown_tree(stamp, SERVER_USER)


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
    single = [*demoted(SERVER_USER), str(server), "--single", "-D", str(cluster), "-c", "exit_on_error=on",
              "-c", "log_min_error_statement=panic", database]  # fmt: skip
    text = "".join(f"{statement};\n" for statement in statements)
    done = subprocess.run(single, input=text, capture_output=True, text=True, check=False, cwd=cluster.parent)
    if done.returncode != 0:
        raise Failure(f"PostgreSQL could not set up its roles:\n{done.stderr}", "see the message above")


def create_database(server: Path, cluster: Path) -> None:
    """In a new cluster."""
    _as_superuser(server, cluster, "postgres", [f"CREATE DATABASE {DATABASE}"])


def _digest(passwords: Passwords) -> str:
    statements = [*_role_statements(passwords), *_ownership_statements()]
    return hashlib.sha256("\n".join(statements).encode()).hexdigest()
