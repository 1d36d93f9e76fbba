"""Backups as an operator makes them, and restores them on a machine that was set up anew."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from scripts.stack.backend import TOKEN_NAME
from scripts.stack.settings import parse_env_file
from scripts.tests.installation import Installation, installation
from scripts.tests.test_upgrade import as_owner, supervised

pytestmark = pytest.mark.timeout(400)


def ask(stack: Installation, path: str) -> Any:
    token = parse_env_file(stack.data / "secrets.env")[TOKEN_NAME]
    answer = httpx2.get(f"{stack.url}/api/v1{path}", headers={"Authorization": f"Bearer {token}"})
    return answer.raise_for_status().json()


@pytest.fixture(scope="module")
def stack() -> Iterator[Installation]:
    with installation() as made:
        up = made.order("up")
        assert up.returncode == 0, up.stderr
        yield made


@pytest.fixture(scope="module")
def file(stack: Installation) -> Path:
    """A backup that was proven, of an installation whose host was heard long ago."""
    supervised(stack, "stop", "agent")
    as_owner(stack, "psql", "-c", "UPDATE host SET heartbeat_at = now() - interval '1 hour'")
    made = stack.data / "lab.backup"
    done = stack.order("backup", "--prove", str(made))
    assert done.returncode == 0, done.stderr
    assert "Proven: it can be restored" in done.stdout
    return made


def test_a_proven_backup_says_so_where_people_look(stack: Installation, file: Path) -> None:
    known = ask(stack, "/storage")
    assert known["last_backup"]["file"] == str(file)
    assert known["last_proof"] == known["last_backup"]["proven_at"] is not None
    databases = as_owner(stack, "psql", "-Atc", "SELECT datname FROM pg_database WHERE NOT datistemplate").split()
    assert sorted(databases) == ["ngxlab", "postgres"], "the copy is gone"


def test_a_machine_that_was_set_up_anew_is_the_host_of_the_backup(stack: Installation, file: Path) -> None:
    [former] = ask(stack, "/hosts")["items"]
    (stack.data / "agent" / "credential.json").unlink()  # so that it gets another, which the backup does not know
    done = stack.order("restore", "--replace", str(file))
    assert done.returncode == 0, done.stderr
    [host] = ask(stack, "/hosts")["items"]
    assert (host["id"], host["name"]) == (former["id"], former["name"])
    assert host["state"] != "offline", host["state_detail"]


def test_a_database_of_a_newer_version_is_named_with_the_way_out(stack: Installation) -> None:
    as_owner(stack, "psql", "-c", "UPDATE alembic_version SET version_num = '9999'")
    running = stack.order("up")
    supervised(stack, "stop", "backend")
    stopped = stack.order("up")
    told = "which a newer version of ngxlab made: start that version"
    assert (running.returncode, stopped.returncode) == (1, 1)
    assert told in running.stderr
    assert told in stopped.stderr
    assert "What to do: run make up in a checkout of that version" in running.stderr
