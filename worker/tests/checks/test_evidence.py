"""docs/checks.md says which results of checks are provoked in real trials: those that tests provoke, and no others."""

import ast
from pathlib import Path

from ngxlab.analysis.checks import declarations
from tests.checks.bench import fires

FOLDERS = (Path(__file__).parent, Path(__file__).parents[1] / "fleet")


def provoked() -> set[tuple[str, str]]:
    """The keys and severities with which tests call :func:`fires`."""
    trees = [ast.parse(path.read_text()) for folder in FOLDERS for path in sorted(folder.glob("test_*.py"))]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [
        [str(argument.value) for argument in call.args[1:] if isinstance(argument, ast.Constant)]
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == fires.__name__
    ]
    return {(key, severity) for key, *severities in named for severity in severities}


def test_the_table_and_the_tests_agree() -> None:
    evidence = ((check.key, severity, one) for check in declarations() for severity, one in check.results.items())
    assert provoked() == {(key, severity) for key, severity, one in evidence if one.real != "no"}
