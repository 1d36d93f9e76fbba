"""What is measured is kept: over a restart, by a backup that is restored, and by images of a newer version."""

import os
from pathlib import Path
from typing import Any

from scripts.console import Failure
from scripts.containers.measuring import what_lasts
from scripts.containers.project import Project
from scripts.paths import ROOT
from scripts.testbed.stack import Stack
from scripts.upgrade import ask

DUMP: Path = ROOT / "scripts" / "tests" / "fixtures" / "schema-0026.dump"
"""A database with a finished run (scripts/tests/test_upgrade.py)."""


def comes_up(project: Project) -> None:
    """In a project that nobody has started. Raises :class:`Failure` with what was lost."""
    project.compose("up", "--detach", "--wait", "postgres")
    within = ("run", "--rm", "--no-deps", "-T", f"--volume={DUMP}:/earlier.dump:ro", "--entrypoint=pg_restore", "roles")
    project.compose(*within, "--no-owner", "--exit-on-error", "--dbname=ngxlab", "/earlier.dump")
    run_id = _query(project, "SELECT id FROM run")
    before = _query(project, "SELECT version_num FROM alembic_version")
    project.up()
    after = _query(project, "SELECT version_num FROM alembic_version")
    assert before == "0026" <= after
    ask(project.stack(), run_id)


def _query(project: Project, statement: str) -> str:
    asking = ("exec", "-T", "postgres", "psql", "--username=ngxlab", "--no-psqlrc", "-At", "--command", statement)
    return project.compose(*asking, "ngxlab").strip()


USER_OF_THE_IMAGE = 10001


def survives_a_restart(project: Project, stack: Stack, run_id: str) -> None:
    before = what_lasts(stack, run_id)
    project.compose("down")
    project.up()
    _require_same(before, what_lasts(stack, run_id))


def survives_a_restore(project: Project, stack: Stack, run_id: str) -> None:
    """The three commands of docs/operating.md."""
    before = what_lasts(stack, run_id)
    folder = project.folder / "backup"
    folder.mkdir()
    project.folder.chmod(0o711)
    os.chown(folder, USER_OF_THE_IMAGE, USER_OF_THE_IMAGE)
    once = ("run", "--rm", "--no-deps", f"--volume={folder}:/backup")
    project.compose(*once, "backend", "ngxlab-server", "backup", "/backup/ngxlab.backup")
    project.compose("stop", "agent", "coordinator", "jobs", "backend")
    project.compose(*once, "migrate", "ngxlab-server", "restore", "--replace", "/backup/ngxlab.backup")
    project.up()
    _require_same(before, what_lasts(stack, run_id))


def _require_same(before: dict[str, Any], after: dict[str, Any]) -> None:
    if before != after:
        raise Failure(f"the run is not what it was:\n{before}\n{after}")
