"""Keeps Python small: functions of at most 40 lines, files of at most 300, folders of at most 20 files.

Run as ``python -m scripts.checks.sizes FOLDER…`` from the repository. Prints a line for each thing that is larger and
exits with 1 if there is any. What a program has generated is left out: migrations, and the command line's models.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

FUNCTION_LINES = 40
"""From ``def`` to the last line, docstring included, decorators not."""
FILE_LINES = 300
FOLDER_FILES = 20
"""Beside ``__init__.py``."""

REGISTRIES = frozenset(
    {
        "backend/ngxlab/analysis/checks",
        "backend/ngxlab/analysis/comparison_metrics",
        "backend/ngxlab/metrics/derivations",
        "backend/ngxlab/templates",
        "scripts/bench",
        "worker/ngxlab_worker/collectors",
    }
)
"""Folders that hold one file for each of many alike things; they may hold any number."""
GENERATED = ("migrations/versions", "cli/ngxlab_cli/models.py")


def main() -> int:
    """Entry point; the exit code."""
    files = [file for folder in sys.argv[1:] for file in python_files(Path(folder))]
    problems = [*crowded_folders(files), *(problem for file in files for problem in problems_of(file))]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def python_files(folder: Path) -> list[Path]:
    """All below ``folder`` that people write, sorted."""
    return sorted(file for file in folder.rglob("*.py") if not file.as_posix().startswith(GENERATED))


def crowded_folders(files: Iterable[Path]) -> Iterator[str]:
    """A line for each folder of product code with more than 20 files of its own. Tests mirror the product."""
    counts = Counter(file.parent for file in files if file.name != "__init__.py")
    for folder, count in sorted(counts.items()):
        if count > FOLDER_FILES and folder.as_posix() not in REGISTRIES and "tests" not in folder.parts:
            yield f"{folder}: {count} files, at most {FOLDER_FILES}: make folders whose names say what is in them"


def problems_of(file: Path) -> Iterator[str]:
    """A line for the file if it is too long, and for each of its functions that is."""
    text = file.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    if lines > FILE_LINES:
        yield f"{file}:1: {lines} lines, at most {FILE_LINES}: split the file"
    for node in ast.walk(ast.parse(text, str(file))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                yield f"{file}:{node.lineno}: {node.name} has {length} lines, at most {FUNCTION_LINES}: split it"


if __name__ == "__main__":
    sys.exit(main())
