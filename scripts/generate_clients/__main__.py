"""``python -m scripts.generate_clients check|write``: compare what is made of the API with what lies here, or write it.

The clients of frontend and command line, the designer's fields, and the directives that its editors know.
"""

import argparse
import difflib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from scripts.console import Failure, main_guard, run, say
from scripts.generate_clients import designer, directives, python
from scripts.paths import BIN, FRONTEND, ROOT

SCHEMA = FRONTEND / "openapi.json"
TYPESCRIPT = FRONTEND / "src" / "api" / "generated"
TYPESCRIPT_INPUTS = ("package.json", "openapi-ts.config.ts")
REMEDY = "run `make api-client`, then commit what it changed"
SHOWN_LINES = 40


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.generate_clients", description=__doc__)
    parser.add_argument("order", choices=("check", "write"))
    order: str = parser.parse_args().order
    document = run([BIN / "ngxlab-server", "openapi"], hint="the backend must import cleanly")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clients = _typescript(folder, document) | python.generate(folder, document)
    fresh = {SCHEMA: document} | clients | designer.generate() | directives.generate()
    left_over = [path for path in TYPESCRIPT.rglob("*") if path.is_file() and path not in fresh]
    if order == "write":
        _write(fresh, left_over)
    else:
        _check(fresh, left_over)
    return 0


def _typescript(folder: Path, document: str) -> dict[Path, str]:
    """The frontend's client, generated in ``folder``, which looks to the generator like the frontend's own."""
    for name in TYPESCRIPT_INPUTS:
        shutil.copy(FRONTEND / name, folder / name)
    # The frontend receives no webhooks, and the generator does not know a schema that only they name.
    (folder / "openapi.json").write_text(json.dumps(json.loads(document) | {"webhooks": {}}))
    (folder / "node_modules").symlink_to(FRONTEND / "node_modules")
    environment = os.environ | {"PATH": f"{BIN}:{os.environ.get('PATH', os.defpath)}"}
    run([BIN / "npm", "run", "generate"], cwd=folder, env=environment, hint="make setup-dev installs the generator")
    made = folder / TYPESCRIPT.relative_to(FRONTEND)
    return {TYPESCRIPT / path.relative_to(made): path.read_text() for path in made.rglob("*") if path.is_file()}


def _write(fresh: Mapping[Path, str], left_over: list[Path]) -> None:
    for path in left_over:
        path.unlink()
    for path, text in fresh.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        say(f"wrote {path.relative_to(ROOT)}")


def _check(fresh: Mapping[Path, str], left_over: list[Path]) -> None:
    """Raise :class:`Failure` where a generated file is not what a fresh generation gives."""
    for path, text in fresh.items():
        kept = path.read_text() if path.is_file() else ""
        if kept != text:
            lines = difflib.unified_diff(kept.splitlines(), text.splitlines(), "kept", "fresh", lineterm="", n=1)
            shown = "\n".join(list(lines)[:SHOWN_LINES])
            raise Failure(f"{path.relative_to(ROOT)} is stale:\n{shown}", REMEDY)
    if left_over:
        names = ", ".join(str(path.relative_to(TYPESCRIPT)) for path in left_over)
        raise Failure(f"the generated client in {TYPESCRIPT.relative_to(ROOT)} is stale: {names}", REMEDY)
    say("generated API clients: current")


if __name__ == "__main__":
    sys.exit(main_guard(main))
