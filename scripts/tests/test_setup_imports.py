"""The set-up runs before there is a virtual environment, so it may import the standard library and itself only."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.paths import ROOT

FILES = [
    *(path for folder in ("setup", "agent_bundle") for path in sorted((ROOT / "scripts" / folder).glob("*.py"))),
    *(ROOT / "scripts" / f"{name}.py" for name in ("__init__", "console", "paths", "stamps")),
]
LAUNCHER = ROOT / "scripts" / "stack" / "launch.py"
"""Starts services without the environment, and must not even import the rest of ``scripts``."""


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, at any depth of its code."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own_modules() -> set[str]:
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in FILES}
    return {name.removesuffix(".__init__") for name in names}


@pytest.mark.parametrize("path", [*FILES, LAUNCHER], ids=lambda path: str(path.relative_to(ROOT)))
def test_the_set_up_imports_the_standard_library_and_itself_only(path: Path) -> None:
    allowed = own_modules() - {"scripts"} if path != LAUNCHER else set()
    foreign = {
        name
        for name in imported(path)
        if name.partition(".")[0] not in sys.stdlib_module_names and not allowed & {name, name.rpartition(".")[0]}
    }
    assert foreign == set()
