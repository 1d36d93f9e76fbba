"""Serve the built frontend from the same origin as the API."""

from pathlib import Path

from fastapi import Depends, FastAPI, Request
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from ngxlab.core.access import public
from ngxlab.core.errors import NotFound


def serve_frontend(app: FastAPI, folder: Path) -> None:
    """Serve files by their name; every other path is a page of the single-page application.

    Raises RuntimeError if ``folder`` contains no build.
    """
    folder = folder.resolve()
    index = folder / "index.html"
    if not index.is_file():
        raise RuntimeError(f"NGXLAB_FRONTEND_DIR={folder} has no index.html: build the frontend first")
    app.mount("/assets", StaticFiles(directory=folder / "assets"), name="assets")

    @app.get("/{path:path}", include_in_schema=False, dependencies=[Depends(public)])
    def page(path: str, request: Request) -> FileResponse:
        if request.url.path.startswith("/api/"):
            raise NotFound("There is no such endpoint.")
        return FileResponse(_file(folder, path) or index)


def _file(folder: Path, path: str) -> Path | None:
    try:
        candidate = (folder / path).resolve()
        return candidate if path and candidate.is_file() and candidate.is_relative_to(folder) else None
    except (OSError, ValueError):  # no file can have that name, e.g. one of a thousand characters
        return None
