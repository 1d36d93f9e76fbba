"""A run is measured, and kept: over a restart, by a backup that is restored, and by images of a newer version."""

import os
from pathlib import Path
from typing import Any

from scripts.console import check
from scripts.containers.project import Project
from scripts.paths import ROOT
from scripts.testbed.stack import Stack
from scripts.upgrade import ask

DUMP: Path = ROOT / "scripts" / "tests" / "fixtures" / "schema-0026.dump"
"""A database with a finished run (scripts/tests/test_upgrade.py)."""
USER_OF_THE_IMAGE = 10001
PARAMETERS = {"blocks": 3, "warmup_s": 1, "measure_s": 3, "cooldown_s": 0}
ENDS_WITHIN_S = 600


def measure(stack: Stack, host_id: str) -> str:
    """The id of a run that has completed, with a verdict."""
    run_id = stack.start_run("reuseport", host_id, **PARAMETERS)
    stack.completed(run_id, ENDS_WITHIN_S)
    check(what_lasts(stack, run_id)["headline"], "the run has no verdict")
    return run_id


def what_lasts(stack: Stack, run_id: str) -> dict[str, Any]:
    """What a restart and a restored backup must keep of a run."""
    analysis = stack.api("GET", f"/runs/{run_id}/report")["analysis"]
    trials = stack.api("GET", f"/runs/{run_id}")["trials"]
    points = [len(stack.api("GET", f"/trials/{trial['id']}/series")["series"]) for trial in trials]
    return {
        "headline": analysis["headline"],
        "statements": analysis.get("statements"),
        "trials": [(trial["id"], trial["state"]) for trial in trials],
        "series": points,
    }


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


def survives_a_restart(project: Project, stack: Stack, run_id: str) -> None:
    before = what_lasts(stack, run_id)
    project.compose("down")
    project.up()
    _require_same(before, what_lasts(stack, run_id))


def survives_a_restore(project: Project, stack: Stack, run_id: str) -> None:
    before = what_lasts(stack, run_id)
    folder = project.folder / "backup"
    folder.mkdir()
    project.folder.chmod(0o711)
    os.chown(folder, USER_OF_THE_IMAGE, USER_OF_THE_IMAGE)
    once = ("run", "--rm", "--no-deps", f"--volume={folder}:/backup")
    project.compose(*once, "backend", "ngxlab-server", "backup", "/backup/ngxlab.backup")
    project.compose("stop", "agent", "coordinator", "jobs", "backend")
    project.compose(*once, "migrate", "ngxlab-server", "restore", "--replace", "--resume", "/backup/ngxlab.backup")
    project.up()
    _require_same(before, what_lasts(stack, run_id))


def _require_same(before: dict[str, Any], after: dict[str, Any]) -> None:
    check(before == after, f"the run is not what it was:\n{before}\n{after}")
