"""``python -m scripts.generate_clients check|write``: compare the generated clients with fresh ones, or write them."""

import argparse
import difflib
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from scripts.console import Failure, main_guard, run, say
from scripts.generate_clients import python, typescript
from scripts.paths import BIN, FRONTEND, ROOT

SCHEMA = FRONTEND / "openapi.json"
REMEDY = "run `make api-client`, then commit what it changed"
SHOWN_LINES = 40


@dataclass(frozen=True)
class Fresh:
    """What the backend's API of now gives: the OpenAPI document and both clients."""

    document: str
    typescript: Path
    python: dict[Path, str]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.generate_clients", description=__doc__)
    parser.add_argument("order", choices=("check", "write"))
    order: str = parser.parse_args().order
    document = run([BIN / "ngxlab-server", "openapi"], hint="the backend must import cleanly")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fresh = Fresh(document, typescript.generate(folder, document), python.generate(folder, document))
        if order == "write":
            _write(fresh)
        else:
            _check(fresh)
    return 0


def _write(fresh: Fresh) -> None:
    SCHEMA.write_text(fresh.document)
    typescript.write(fresh.typescript)
    for path, text in fresh.python.items():
        path.write_text(text)
    for path in (SCHEMA, typescript.GENERATED, *fresh.python):
        say(f"wrote {path.relative_to(ROOT)}")


def _check(fresh: Fresh) -> None:
    """Raise :class:`Failure` where a generated file is not what a fresh generation gives."""
    _require_same(SCHEMA, fresh.document)
    for path, text in fresh.python.items():
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
