"""What is measured is kept: over a restart of everything, and by a backup that is restored."""

import os
from typing import Any

from scripts.console import Failure
from scripts.containers.measuring import what_lasts
from scripts.containers.project import Project
from scripts.testbed.stack import Stack

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
    project.compose("stop", "agent", "coordinator", "backend")
    project.compose(*once, "migrate", "ngxlab-server", "restore", "--replace", "/backup/ngxlab.backup")
    project.up()
    _require_same(before, what_lasts(stack, run_id))


def _require_same(before: dict[str, Any], after: dict[str, Any]) -> None:
    if before != after:
        raise Failure(f"the run is not what it was:\n{before}\n{after}")
