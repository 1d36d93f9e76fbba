"""The frontend's client: ``frontend/src/api/generated``."""

import filecmp
import json
import os
import shutil
from pathlib import Path

from scripts.console import run
from scripts.paths import BIN, FRONTEND

GENERATED = FRONTEND / "src" / "api" / "generated"
INPUTS = ("package.json", "openapi-ts.config.ts")


def generate(folder: Path, document: str) -> Path:
    """Generate the client in ``folder``, which looks to the generator like the frontend's own. Returns where it is."""
    for name in INPUTS:
        shutil.copy(FRONTEND / name, folder / name)
    # The frontend receives no webhooks, and the generator does not know a schema that only they name.
    (folder / "openapi.json").write_text(json.dumps(json.loads(document) | {"webhooks": {}}))
    (folder / "node_modules").symlink_to(FRONTEND / "node_modules")
    environment = os.environ | {"PATH": f"{BIN}:{os.environ.get('PATH', os.defpath)}"}
    run([BIN / "npm", "run", "generate"], cwd=folder, env=environment, hint="make setup-dev installs the generator")
    return folder / "src" / "api" / "generated"


def write(fresh: Path) -> None:
    """Replace the frontend's client."""
    shutil.rmtree(GENERATED, ignore_errors=True)
    shutil.copytree(fresh, GENERATED)


def stale_files(fresh: Path) -> list[str]:
    """Names of files that differ between the frontend's client and a fresh one."""
    return _differences(filecmp.dircmp(GENERATED, fresh)) if GENERATED.is_dir() else ["all of it"]


def _differences(comparison: "filecmp.dircmp[str]") -> list[str]:
    """Names of files that differ or exist on one side only, through all folders."""
    _same, changed, unreadable = filecmp.cmpfiles(
        comparison.left, comparison.right, comparison.common_files, shallow=False
    )
    below = [name for sub in comparison.subdirs.values() for name in _differences(sub)]
    return [*comparison.left_only, *comparison.right_only, *changed, *unreadable, *below]
