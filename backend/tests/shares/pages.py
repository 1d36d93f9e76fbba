"""Pages as a server with a built frontend answers them."""

import html
from collections.abc import Sequence
from pathlib import Path

import httpx2
from harness import Backend
from serving import fronted


def served(backend: Backend, folder: Path, paths: Sequence[str]) -> list[str]:
    """The texts of pages, with what links unfold to."""
    (folder / "index.html").write_text("<head></head>")
    settings = backend.settings.model_copy(update={"frontend_dir": folder})
    with fronted(settings) as pages:
        return [html.unescape(httpx2.get(pages.url + path, timeout=60).text) for path in paths]
