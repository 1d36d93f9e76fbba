"""``python -m scripts.generate_clients check|write``: compare what is made of the API with what lies here, or write it.

The clients of frontend and command line, and the designer's fields.
"""

import argparse
import difflib
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from scripts.console import Failure, main_guard, run, say
from scripts.generate_clients import designer, python, typescript
from scripts.paths import BIN, FRONTEND, ROOT

SCHEMA = FRONTEND / "openapi.json"
REMEDY = "run `make api-client`, then commit what it changed"
SHOWN_LINES = 40


@dataclass(frozen=True)
class Fresh:
    """What the backend of now gives: the OpenAPI document, the TypeScript client, and other files by their paths."""

    document: str
    typescript: Path
    files: dict[Path, str]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.generate_clients", description=__doc__)
    parser.add_argument("order", choices=("check", "write"))
    order: str = parser.parse_args().order
    document = run([BIN / "ngxlab-server", "openapi"], hint="the backend must import cleanly")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fresh = Fresh(
            document,
            typescript.generate(folder, document),
            python.generate(folder, document) | designer.generate(),
        )
        if order == "write":
            _write(fresh)
        else:
            _check(fresh)
    return 0


def _write(fresh: Fresh) -> None:
    SCHEMA.write_text(fresh.document)
    typescript.write(fresh.typescript)
    for path, text in fresh.files.items():
        path.write_text(text)
    for path in (SCHEMA, typescript.GENERATED, *fresh.files):
        say(f"wrote {path.relative_to(ROOT)}")


def _check(fresh: Fresh) -> None:
    """Raise :class:`Failure` where a generated file is not what a fresh generation gives."""
    _require_same(SCHEMA, fresh.document)
    for path, text in fresh.files.items():
        _require_same(path, text)
    if stale := typescript.stale_files(fresh.typescript):
        folder = typescript.GENERATED.relative_to(ROOT)
        raise Failure(f"the generated client in {folder} is stale: {', '.join(stale)}", REMEDY)
    say("generated API clients: current")


def _require_same(path: Path, fresh: str) -> None:
    kept = path.read_text() if path.is_file() else ""
    if kept != fresh:
        lines = difflib.unified_diff(kept.splitlines(), fresh.splitlines(), "kept", "fresh", lineterm="", n=1)
        shown = "\n".join(list(lines)[:SHOWN_LINES])
        raise Failure(f"{path.relative_to(ROOT)} is stale:\n{shown}", REMEDY)


if __name__ == "__main__":
    sys.exit(main_guard(main))
