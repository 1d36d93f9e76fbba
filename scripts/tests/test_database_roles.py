"""What the application may do in the private PostgreSQL, and that nobody is its superuser."""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.stack.processes import wait_gone
from scripts.stack.settings import parse_env_file
from scripts.tests.installation import Installation, installation

pytestmark = pytest.mark.timeout(300)
BEYOND_THE_APPLICATION = [
    "COPY account TO PROGRAM 'id'",
    "COPY account FROM '/etc/passwd'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT * FROM pg_authid",
    "CREATE ROLE another",
    "CREATE DATABASE another",
    "CREATE TABLE another (id int)",
    "CREATE TEMPORARY TABLE another (id int)",
    "CREATE EXTENSION file_fdw",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "ALTER SYSTEM SET work_mem = '1GB'",
    "ALTER TABLE run ADD COLUMN another int",
    "DROP TABLE run",
    "TRUNCATE run",
    "SET ROLE ngxlab_owner",
    "SET ROLE postgres",
    "UPDATE alembic_version SET version_num = '0000'",
    "ALTER ROLE ngxlab_app SUPERUSER",
]
BEYOND_THE_OWNER = [*BEYOND_THE_APPLICATION[:6], "SET ROLE postgres", "ALTER ROLE ngxlab_owner SUPERUSER"]


def psql(stack: Installation, role: str, password: str, statement: str) -> "subprocess.CompletedProcess[str]":
    url = f"postgresql://{role}@127.0.0.1:{stack.ports['NGXLAB_POSTGRES_PORT']}/ngxlab"
    order = ["psql", "-X", "-w", "-t", "-A", "-v", "ON_ERROR_STOP=1", url, "-c", statement]
    return subprocess.run(order, check=False, capture_output=True, text=True, env=os.environ | {"PGPASSWORD": password})


def as_application(stack: Installation, statement: str) -> "subprocess.CompletedProcess[str]":
    return psql(stack, "ngxlab_app", parse_env_file(stack.data / "secrets.env")["POSTGRES_PASSWORD"], statement)


@pytest.fixture(scope="module")
def stack() -> Iterator[Installation]:
    with installation() as made:
        up = made.order("up")
        assert up.returncode == 0, up.stderr
        yield made


def test_the_roles_that_can_log_in_are_these(stack: Installation) -> None:
    roles = as_application(stack, "SELECT rolname FROM pg_roles WHERE rolcanlogin ORDER BY rolname")
    assert roles.stdout.split() == ["ngxlab_app", "ngxlab_owner", "postgres"]


@pytest.mark.parametrize("statement", BEYOND_THE_APPLICATION)
def test_the_application_may_not(statement: str, stack: Installation) -> None:
    refused = as_application(stack, statement)
    assert refused.returncode != 0
    assert "permission denied" in refused.stderr or "must be" in refused.stderr, refused.stderr


@pytest.mark.parametrize("statement", BEYOND_THE_OWNER)
def test_the_owner_of_the_tables_is_no_superuser_either(statement: str, stack: Installation) -> None:
    password = parse_env_file(stack.data / "secrets.env")["POSTGRES_OWNER_PASSWORD"]
    refused = psql(stack, "ngxlab_owner", password, statement)
    assert refused.returncode != 0
    assert "permission denied" in refused.stderr or "must be" in refused.stderr, refused.stderr


def test_nobody_logs_in_as_the_superuser(stack: Installation) -> None:
    for password in set(parse_env_file(stack.data / "secrets.env").values()):
        refused = psql(stack, "postgres", password, "SELECT 1")
        assert "no pg_hba.conf entry" in refused.stderr


def test_the_running_services_do_not_know_the_owner(stack: Installation) -> None:
    password = parse_env_file(stack.data / "secrets.env")["POSTGRES_OWNER_PASSWORD"]
    for name, process in stack.processes().items():
        assert password not in Path(f"/proc/{process.pid}/environ").read_text(errors="replace"), name


def test_new_secrets_are_taken_over_by_the_next_up(stack: Installation) -> None:
    path = stack.data / "secrets.env"
    before = stack.processes()["postgres"]
    kept = parse_env_file(path) | {"POSTGRES_PASSWORD": hashlib.sha256(b"new").hexdigest()}
    path.write_text("".join(f"{name}={value}\n" for name, value in kept.items()))
    up = stack.order("up")
    assert up.returncode == 0, up.stderr
    assert wait_gone([before], 0)
    assert stack.order("status").returncode == 0
