"""The documents name files and links that exist."""

import re
from collections.abc import Iterator
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
_ELSEWHERE = ("frontend/dist/", ".venv/", "node_modules/", "src/core/ngx_", "src/stats.c", "src/wrk.c")
"""What the build makes, and sources of nginx and wrk."""


def _named_files(text: str) -> Iterator[str]:
    """What looks like a file or a folder of the repository: with an extension, or a slash at its end."""
    for path in _PATH.findall(text):
        looks_like_a_file = path.endswith("/") or re.search(r"\.(py|tsx?|toml|md|ya?ml|json|c|h|sh|lua|txt)$", path)
        if looks_like_a_file and not path.startswith(("/", "~", *_ELSEWHERE)):
            yield path


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
