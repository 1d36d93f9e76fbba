"""What the application may do in the private PostgreSQL, and that nobody is its superuser."""

import hashlib
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.paths import BIN
from scripts.stack.accounts import demoted
from scripts.stack.processes import wait_gone
from scripts.stack.settings import parse_env_file
from scripts.stack.waiting import wait_until
from scripts.tests.installation import Installation, installation

pytestmark = pytest.mark.timeout(300)
OLD_PASSWORD = "of-an-older-version"
POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))[-1]
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


def old_cluster(stack: Installation) -> Path:
    """As older versions made it: the superuser has the application's password, the application owns everything."""
    cluster, secret = stack.data / "postgres", stack.data / "password"
    secret.write_text(OLD_PASSWORD)
    cluster.mkdir(mode=0o700)
    if os.geteuid() == 0:
        for path in (cluster, secret):
            shutil.chown(path, "postgres", pwd.getpwnam("postgres").pw_gid)
    initdb = [*demoted("postgres"), str(POSTGRES / "initdb"), "-U", "postgres", "--auth=scram-sha-256", "-N",
              f"--pwfile={secret}", "--encoding=UTF8", "--locale=C.UTF-8", "-D", str(cluster)]  # fmt: skip
    subprocess.run(initdb, check=True, capture_output=True, cwd=stack.data)
    secret.unlink()
    single = [*demoted("postgres"), str(POSTGRES / "postgres"), "--single", "-D", str(cluster), "postgres"]
    made = f"CREATE ROLE ngxlab LOGIN PASSWORD '{OLD_PASSWORD}';\nCREATE DATABASE ngxlab OWNER ngxlab;\n"
    subprocess.run(single, input=made.encode(), check=True, capture_output=True, cwd=stack.data)
    return cluster


def fill_old_database(stack: Installation, cluster: Path) -> None:
    """Bring its schema up to date as the role of old, and leave an account in it."""
    port = str(stack.ports["NGXLAB_POSTGRES_PORT"])
    command = [*demoted("postgres"), str(POSTGRES / "postgres"), "-D", str(cluster), "-p", port, "-h", "127.0.0.1",
               "-c", "unix_socket_directories="]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=stack.data) as server:
        try:
            wait_until(lambda: psql(stack, "ngxlab", OLD_PASSWORD, "SELECT 1").returncode == 0, "the old PostgreSQL")
            environment = os.environ | {
                "DATABASE_URL": f"postgresql://ngxlab:{OLD_PASSWORD}@127.0.0.1:{port}/ngxlab",
                "REDIS_URL": "redis://127.0.0.1:1/0",
                "NGXLAB_COORDINATOR_TOKEN": "x" * 32,
            }
            for order in (["migrate"], ["create-admin", "--email", "admin@localhost", "--if-none"]):
                subprocess.run([BIN / "ngxlab-server", *order], check=True, capture_output=True, env=environment)
            assert psql(stack, "postgres", OLD_PASSWORD, "SELECT rolname FROM pg_authid").returncode == 0
        finally:
            server.send_signal(2)


@pytest.fixture(scope="module")
def stack() -> Iterator[Installation]:
    """Up, with the data folder of an older version."""
    with installation() as made:
        fill_old_database(made, old_cluster(made))
        (made.data / "secrets.env").write_text(f"POSTGRES_PASSWORD={OLD_PASSWORD}\n")
        up = made.order("up")
        assert up.returncode == 0, up.stderr
        yield made


def test_an_older_data_folder_comes_up_with_its_data(stack: Installation) -> None:
    assert stack.order("status").returncode == 0
    accounts = as_application(stack, "SELECT email FROM account ORDER BY email")
    assert "admin@localhost" in accounts.stdout.split()
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
    known = parse_env_file(stack.data / "secrets.env").values()
    for password in {OLD_PASSWORD, *known}:
        for role in ("postgres", "ngxlab"):
            refused = psql(stack, role, password, "SELECT 1")
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
