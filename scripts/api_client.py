"""The frontend's generated API client: written anew from the backend's schema, or checked for being current.

``python -m scripts.api_client check|write``.
"""

import difflib
import filecmp
import os
import shutil
import sys
import tempfile
from pathlib import Path

from scripts.console import Failure, main_guard, run, say
from scripts.paths import BIN, FRONTEND

SCHEMA = FRONTEND / "openapi.json"
GENERATED = FRONTEND / "src" / "api" / "generated"
INPUTS = ("package.json", "openapi-ts.config.ts")
MEND = "make api-client, then commit what it changed"
SHOWN_LINES = 40


def main() -> int:
    """Write the schema and the client, or compare them with a fresh generation."""
    order = sys.argv[1] if len(sys.argv) > 1 else "check"
    if not FRONTEND.is_dir():
        say("no frontend in this checkout: nothing to check")
        return 0
    schema = run([BIN / "ngxlab-server", "openapi"], hint="the backend must import cleanly")
    with tempfile.TemporaryDirectory() as folder:
        client = _generate(Path(folder), schema)
        if order == "write":
            SCHEMA.write_text(schema)
            shutil.rmtree(GENERATED, ignore_errors=True)
            shutil.copytree(client, GENERATED)
            say(f"wrote {SCHEMA} and {GENERATED}")
        else:
            _require_same_schema(schema)
            _require_same_client(client)
            say("generated API client: current")
    return 0


def _generate(folder: Path, schema: str) -> Path:
    """Generate the client from ``schema`` in ``folder``, which looks to the generator like the frontend's own."""
    for name in INPUTS:
        shutil.copy(FRONTEND / name, folder / name)
    (folder / "openapi.json").write_text(schema)
    (folder / "node_modules").symlink_to(FRONTEND / "node_modules")
    environment = os.environ | {"PATH": f"{BIN}:{os.environ.get('PATH', os.defpath)}"}
    run([BIN / "npm", "run", "generate"], cwd=folder, env=environment, hint="make setup-dev installs the generator")
    return folder / "src" / "api" / "generated"


def _require_same_schema(fresh: str) -> None:
    kept = SCHEMA.read_text() if SCHEMA.is_file() else ""
    if kept != fresh:
        lines = difflib.unified_diff(kept.splitlines(), fresh.splitlines(), "kept", "backend's", lineterm="", n=1)
        shown = "\n".join(list(lines)[:SHOWN_LINES])
        raise Failure(f"{SCHEMA} is not what the backend offers:\n{shown}", MEND)


def _require_same_client(fresh: Path) -> None:
    stale = _differences(filecmp.dircmp(GENERATED, fresh)) if GENERATED.is_dir() else ["all of it"]
    if stale:
        raise Failure(f"the generated client in {GENERATED} is stale: {', '.join(stale)}", MEND)


def _differences(comparison: "filecmp.dircmp[str]") -> list[str]:
    """Names of files that differ or exist on one side only, through all folders."""
    _same, changed, unreadable = filecmp.cmpfiles(
        comparison.left, comparison.right, comparison.common_files, shallow=False
    )
    below = [name for sub in comparison.subdirs.values() for name in _differences(sub)]
    return [*comparison.left_only, *comparison.right_only, *changed, *unreadable, *below]


if __name__ == "__main__":
    sys.exit(main_guard(main))
