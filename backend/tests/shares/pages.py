"""Pages as a server with a built frontend answers them."""

import html
from collections.abc import Sequence
from pathlib import Path

import httpx
from harness import Backend
from services import free_port
from serving import serving


def served(backend: Backend, folder: Path, paths: Sequence[str]) -> list[str]:
    """The texts of pages, with what links unfold to."""
    (folder / "assets").mkdir()
    (folder / "index.html").write_text("<head></head>")
    settings = backend.settings.model_copy(update={"frontend_dir": folder, "port": free_port()})
    with serving(settings) as pages:
        return [html.unescape(httpx.get(pages.url + path, timeout=60).text) for path in paths]
