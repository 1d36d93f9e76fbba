"""A backup that was made while the server runs is, restored elsewhere, the same installation."""

import asyncio
import hashlib
import json
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
import services
from harness import Backend, Person
from ngxlab.core import backup, migrate
from ngxlab.core.backup import BackupError, examine, restore
from ngxlab.core.config import Settings
from ngxlab_contracts.version import VERSION
from pydantic import SecretStr
from serving import serving


@dataclass(frozen=True)
class Original:
    backend: Backend
    person: Person
    run_id: str
    trial_id: str

    def answers(self, backend: Backend) -> dict[str, bytes]:
        """What was measured, as the API of ``backend`` gives it to the same person."""
        person = Person(backend.client(), self.person.email, self.person.password)
        person.sign_in()
        paths = [f"/runs/{self.run_id}/report", f"/trials/{self.trial_id}/series", f"/trials/{self.trial_id}/artefacts"]
        return {path: person.client.get(path).raise_for_status().content for path in paths}


@pytest.fixture(scope="module")
def original(backend: Backend) -> Original:
    """A finished run."""
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent, blocks=2)
    coordinator.lease(run["id"]).raise_for_status()
    while (step := coordinator.next(run["id"]))["kind"] == "trial":
        agent.whole_trial(coordinator, trial_id := step["trial"]["trial_id"])
    return Original(backend, person, run["id"], trial_id)


def server(settings: Settings, *words: str) -> "subprocess.CompletedProcess[str]":
    """``ngxlab-server WORDS`` as an operator calls it."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "DATABASE_URL": settings.database_url.get_secret_value(),
        "REDIS_URL": settings.redis_url.get_secret_value(),
        "NGXLAB_COORDINATOR_TOKEN": settings.coordinator_token.get_secret_value(),
    }
    command = [sys.executable, "-m", "ngxlab.cli", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made(original: Original, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("backup") / "lab.backup"
    done = server(original.backend.settings, "backup", str(file))
    assert done.returncode == 0, done.stderr
    return file


@pytest.fixture
def elsewhere(settings: Settings, postgresql_url: str) -> Iterator[Settings]:
    """A new installation with an account of its own, and nobody connected to it."""
    name = f"elsewhere_{uuid4().hex}"
    execute(postgresql_url, f"CREATE DATABASE {name}")
    url = postgresql_url.rpartition("/")[0] + f"/{name}"
    asyncpg_url = url.replace("postgresql://", "postgresql+asyncpg://")
    migrate.upgrade(asyncpg_url)
    with services.redis() as redis_url:
        changes = {"database_url": SecretStr(asyncpg_url), "redis_url": SecretStr(redis_url)}
        yield settings.model_copy(update=changes | {"port": services.free_port()})


def execute(url: str, statement: str) -> Any:
    async def run() -> Any:
        connection = await asyncpg.connect(url.replace("+asyncpg", ""))
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    return asyncio.run(run())


def test_restored_elsewhere_the_report_is_the_same_byte_for_byte(
    original: Original, made: Path, elsewhere: Settings
) -> None:
    restored = server(elsewhere, "restore", "--resume", str(made))
    assert restored.returncode == 0, restored.stderr
    before = original.answers(original.backend)
    with serving(elsewhere) as other:
        assert original.answers(other) == before
        # and it is a whole installation: the next run can be measured there
        agent, coordinator, person = other.agent(), other.coordinator(), other.person()
        agent.whole_trial(coordinator, coordinator.begin(person.run(agent)["id"]))


def test_programs_of_a_newer_version_restore_into_an_older_server(
    original: Original, made: Path, elsewhere: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pg_restore 17 sets what PostgreSQL 15 does not know."""
    newer = tmp_path / "pg_restore"
    newer.write_text(
        f"#!/bin/sh\nprintf '\\nSET transaction_timeout = 0;\\n'\nexec {backup.program('pg_restore')} \"$@\"\n"
    )
    newer.chmod(0o755)
    known = backup.program
    monkeypatch.setattr(backup, "program", lambda name: str(newer) if name == newer.name else known(name))
    url = elsewhere.database_url.get_secret_value()
    restore(url, made, replace=False)
    assert execute(url, f"SELECT count(*) FROM run WHERE id = '{original.run_id}'") == 1


def test_a_backup_is_private_and_can_be_examined(made: Path, settings: Settings) -> None:
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    done = server(settings, "restore", "--check", str(made))
    assert (done.returncode, done.stderr) == (0, "")
    assert "is sound: made 20" in done.stdout
    assert list(made.parent.iterdir()) == [made]  # no draft is left


def test_a_restore_spares_an_installation_in_use_or_with_experiments(
    original: Original, made: Path, elsewhere: Settings
) -> None:
    in_use = server(original.backend.settings, "restore", "--replace", str(made))
    assert (in_use.returncode, in_use.stderr) == (1, "the database is in use: stop the server first\n")
    assert server(elsewhere, "restore", str(made)).returncode == 0
    again = server(elsewhere, "restore", str(made))
    assert again.returncode == 1
    assert "has experiments already; --replace deletes them" in again.stderr
    assert server(elsewhere, "restore", "--replace", str(made)).returncode == 0


def test_a_restore_needs_a_database_that_can_hold_all_text(made: Path, settings: Settings, postgresql_url: str) -> None:
    name = f"latin_{uuid4().hex}"
    execute(postgresql_url, f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    url = settings.database_url.get_secret_value().rpartition("/")[0] + f"/{name}"
    done = server(settings.model_copy(update={"database_url": SecretStr(url)}), "restore", str(made))
    assert done.returncode == 1
    assert done.stderr.startswith(f"The database {name} has the encoding LATIN1; ngxlab needs UTF8")


def changed(made: Path, to: Path, *, dump: bytes | None = None, **manifest: Any) -> Path:
    """A backup with other contents."""
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(to, "w") as new:
        said = json.loads(old.read("manifest.json")) | manifest
        new.writestr("manifest.json", json.dumps(said))
        new.writestr("database.dump", old.read("database.dump") if dump is None else dump)
    return to


def test_what_is_no_sound_backup_is_refused_and_nothing_changes(
    made: Path, elsewhere: Settings, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("not a backup")
    cut = tmp_path / "cut"
    cut.write_bytes(made.read_bytes()[:-1000])
    with zipfile.ZipFile(made) as archive:
        dump = archive.read("database.dump")
    refused = {
        tmp_path / "text": "no complete backup",
        tmp_path / "missing": "No such file",
        cut: "no complete backup",
        changed(
            made, tmp_path / "newer", schema_revision="9999"
        ): f"schema 9999 (of ngxlab {VERSION}), unknown to this version",
        changed(made, tmp_path / "older", schema_revision="0019"): f"restore it with {migrate.GO_THROUGH}",
        changed(made, tmp_path / "format", format=2): "format 2, this version reads up to 1",
        changed(made, tmp_path / "damaged", dump=dump[:-1] + b"x"): "is damaged",
    }
    url = elsewhere.database_url.get_secret_value()
    execute(
        url, "INSERT INTO account (id, email, role, password_hash) VALUES (gen_random_uuid(), 'a@b', 'viewer', 'x')"
    )
    for file, why in refused.items():
        done = server(elsewhere, "restore", str(file))
        assert done.returncode == 1
        assert why in done.stderr
        assert "Traceback" not in done.stderr
    assert execute(url, "SELECT count(*) FROM account") == 1


def test_no_changed_byte_of_its_head_is_an_error_of_ours(made: Path, tmp_path: Path) -> None:
    """Each of the first bytes in turn, and each of the directory."""
    content = made.read_bytes()
    directory = content.rindex(b"PK\x01\x02")
    sound = examine(made)
    for place in (*range(60), *range(directory, min(directory + 60, len(content)))):
        damaged = tmp_path / "damaged"
        damaged.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        with suppress(BackupError):
            assert examine(damaged) == sound


def test_a_dump_that_ends_early_or_lacks_rows_leaves_what_was_there(
    made: Path, elsewhere: Settings, tmp_path: Path
) -> None:
    with zipfile.ZipFile(made) as archive:
        dump, said = archive.read("database.dump"), json.loads(archive.read("manifest.json"))
    half = dump[: len(dump) // 2]
    short = changed(made, tmp_path / "short", dump=half, sha256=hashlib.sha256(half).hexdigest())
    rows = said["rows"] | {"trial": said["rows"]["trial"] + 1}
    lacking = changed(made, tmp_path / "lacking", rows=rows)
    url = elsewhere.database_url.get_secret_value()
    for file, why in ((short, "pg_restore ended with"), (lacking, "rows of trial are missing")):
        done = server(elsewhere, "restore", str(file))
        assert done.returncode == 1
        assert why in done.stderr
        assert execute(url, "SELECT count(*) FROM trial") == 0
    assert server(elsewhere, "restore", str(made)).returncode == 0


def test_a_server_that_cannot_be_reached_leaves_no_file(settings: Settings, tmp_path: Path) -> None:
    away = SecretStr(f"postgresql+asyncpg://nobody@127.0.0.1:{services.free_port()}/none")
    done = server(settings.model_copy(update={"database_url": away}), "backup", str(tmp_path / "lab.backup"))
    assert done.returncode == 1
    assert done.stderr.startswith("the database or Redis cannot be used: ")
    assert list(tmp_path.iterdir()) == []
