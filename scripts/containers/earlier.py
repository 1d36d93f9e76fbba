"""Data of an earlier schema come up by the images of today: as whoever takes a newer version has it."""

from pathlib import Path

from scripts.containers.project import Project
from scripts.paths import ROOT
from scripts.upgrade.questions import ask

DUMP: Path = ROOT / "scripts" / "tests" / "fixtures" / "schema-0005.dump"
"""Of a stack whose superuser was the application, with a finished run (scripts/tests/test_upgrade.py)."""


def comes_up(project: Project) -> None:
    """In a project that nobody has started. Raises :class:`Failure` with what was lost."""
    project.compose("up", "--detach", "--wait", "postgres")
    within = ("run", "--rm", "--no-deps", "-T", f"--volume={DUMP}:/earlier.dump:ro", "--entrypoint=pg_restore", "roles")
    project.compose(*within, "--no-owner", "--exit-on-error", "--dbname=ngxlab", "/earlier.dump")
    run_id = _query(project, "SELECT id FROM run")
    before = _query(project, "SELECT version_num FROM alembic_version")
    project.up()
    after = _query(project, "SELECT version_num FROM alembic_version")
    assert before == "0005" < after
    ask(project.stack(), run_id)


def _query(project: Project, statement: str) -> str:
    asking = ("exec", "-T", "postgres", "psql", "--username=ngxlab", "--no-psqlrc", "-At", "--command", statement)
    return project.compose(*asking, "ngxlab").strip()
