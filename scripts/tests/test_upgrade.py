"""A database of an earlier commit, with a finished run, comes up by ``make up`` and has lost nothing.

The dump was made by that commit: ``python -m scripts.upgrade --dump FILE``, which also does the whole thing with the
earlier stack itself.
"""

import os
import subprocess
from pathlib import Path

import pytest

from scripts.stack.postgres import DATABASE, OWNER
from scripts.stack.settings import parse_env_file
from scripts.testbed.stack import Stack
from scripts.tests.installation import Installation, installation
from scripts.upgrade import ask

DUMP = Path(__file__).parent / "fixtures" / "schema-0026.dump"

pytestmark = pytest.mark.timeout(400)


def as_owner(stack: Installation, *command: str) -> str:
    """A program of PostgreSQL's on the private database."""
    secrets = parse_env_file(stack.data / "secrets.env")
    told = {
        "PGHOST": "127.0.0.1",
        "PGPORT": str(stack.ports["NGXLAB_POSTGRES_PORT"]),
        "PGUSER": OWNER,
        "PGDATABASE": DATABASE,
        "PGPASSWORD": secrets["POSTGRES_OWNER_PASSWORD"],
    }
    return subprocess.run(command, env=os.environ | told, check=True, capture_output=True, text=True).stdout


def supervised(stack: Installation, *words: str) -> None:
    Stack(stack.url, stack.data, {}, "", "").supervise(*words)


def with_the_earlier_database(stack: Installation) -> str:
    """Replace the database of a stack that is down but for PostgreSQL; the id of the finished run."""
    emptied = "DROP SCHEMA public CASCADE; CREATE SCHEMA public"
    as_owner(stack, "psql", "--no-psqlrc", "--quiet", "--command", emptied)
    as_owner(stack, "pg_restore", "--no-owner", "--exit-on-error", f"--dbname={DATABASE}", str(DUMP))
    assert as_owner(stack, "psql", "-Atc", "SELECT version_num FROM alembic_version") == "0026\n"
    return as_owner(stack, "psql", "-Atc", "SELECT id FROM run").strip()


def test_an_earlier_database_comes_up_with_its_run() -> None:
    with installation() as stack:
        first = stack.order("up")
        assert first.returncode == 0, first.stderr
        for service in ("agent", "coordinator", "jobs", "backend"):
            supervised(stack, "stop", service)
        run_id = with_the_earlier_database(stack)
        again = stack.order("up")
        assert again.returncode == 0, again.stderr
        ask(Stack(stack.url, stack.data, {}, "", ""), run_id)
