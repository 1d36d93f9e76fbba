"""The documents name files and links that exist."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scripts.paths import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])
ROOMS = (
    ROOT,
    ROOT / "backend" / "ngxlab",
    ROOT / "backend" / "ngxlab" / "analysis",
    ROOT / "backend" / "ngxlab" / "definition",
    ROOT / "backend" / "ngxlab" / "templates",
    ROOT / "worker" / "ngxlab_worker",
    ROOT / "worker" / "ngxlab_worker" / "collectors",
    ROOT / "frontend",
    ROOT / "frontend" / "src",
    ROOT / "cli",
    ROOT / "scripts",
)
"""A document on one of these may name its files without the way there."""

_PATH = re.compile(r"`([\w.-]+/[\w./-]*?)`")
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
_ELSEWHERE = (
    "frontend/dist/",
    ".venv/",
    "node_modules/",
    "src/core/ngx_",
    "src/event/ngx_",
    "src/stats.c",
    "src/wrk.c",
)
"""What the build makes, and sources of nginx and wrk."""


def _named_files(text: str) -> Iterator[str]:
    """What looks like a file or a folder of the repository: with an extension, or a slash at its end."""
    for path in _PATH.findall(text):
        looks_like_a_file = path.endswith("/") or re.search(r"\.(py|tsx?|toml|md|ya?ml|json|c|h|sh|lua|txt)$", path)
        if looks_like_a_file and not path.startswith(("/", "~", *_ELSEWHERE)):
            yield path


_TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")


def test_named_tests_exist() -> None:
    """Each row of the table names those that keep its point closed."""
    text = (ROOT / "docs" / "security-tests.md").read_text()
    named = _TEST.findall(text)
    assert len(named) == text.count(".py::")
    missing = [f"{file}::{name}" for file, name in named if name not in _tests_of(ROOT / file)]
    assert missing == []
    points = [line.split("|")[1].strip() for line in text.splitlines() if _TEST.search(line)]
    listed = {"H1", *(f"M{n}" for n in range(1, 7)), *(f"L{n}" for n in range(1, 13)), *map(str, range(1, 15))}
    assert listed <= set(points)


@cache
def _tests_of(file: Path) -> frozenset[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(one.name for one in ast.parse(file.read_text()).body if isinstance(one, kinds))


def test_there_are_documents() -> None:
    assert {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"} <= {path.name for path in DOCUMENTS}


OF_TODAY = [path for path in DOCUMENTS if path.name != "CHANGELOG.md"]
"""The changelog names files of its time."""


@pytest.mark.parametrize("document", OF_TODAY, ids=lambda path: str(path.relative_to(ROOT)))
def test_named_files_exist(document: Path) -> None:
    places = (document.parent, *ROOMS)
    missing = {p for p in _named_files(document.read_text()) if not any((place / p).exists() for place in places)}
    assert missing == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    missing = {link for link in _LINK.findall(document.read_text()) if not (document.parent / link).exists()}
    assert missing == set()


_SECTION = re.compile(r"docs/([\w-]+)\.md, ([A-Z][a-z]+(?: [a-z]+)*)")


def test_docstrings_name_sections_that_exist() -> None:
    """By the beginning, or another part, of the heading: ``docs/method.md, Looks``."""
    wrong, found = [], 0
    for path in sorted([*ROOT.glob("backend/**/*.py"), *ROOT.glob("cli/**/*.py"), *ROOT.glob("worker/**/*.py")]):
        for name, section in _SECTION.findall(path.read_text(encoding="utf-8")):
            found += 1
            headings = [line for line in _lines_of(name) if line.startswith("#")]
            if not any(section.casefold() in line.casefold() for line in headings):
                wrong.append(f"{path.relative_to(ROOT)}: {name}.md, {section}")
    assert wrong == []
    assert found > 20


@cache
def _lines_of(name: str) -> list[str]:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").splitlines()
