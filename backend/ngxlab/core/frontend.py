"""Serve the built frontend from the same origin as the API."""

import re
from pathlib import Path

from fastapi import Depends, FastAPI, Request
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from ngxlab.core.access import public
from ngxlab.core.errors import NotFound

PAGES = (
    "/",
    "/login",
    "/new-password",
    "/shared/:token",
    "/experiments",
    "/experiments/new",
    "/experiments/new/:templateKey",
    "/experiments/:experimentId",
    "/experiments/:experimentId/design",
    "/runs",
    "/runs/:runId",
    "/runs/:runId/report",
    "/hosts",
    "/hosts/:hostId",
    "/audit",
    "/people",
    "/people/:accountId",
    "/account",
    "/api-docs",
)
"""The addresses in ``frontend/src/app/pages.ts``. ``docker/nginx.conf`` has them, too."""

_PAGE = re.compile("|".join(re.sub(r":\w+", "[^/]+", page.rstrip("/")) + "/?" for page in PAGES))


def serve_frontend(app: FastAPI, folder: Path) -> None:
    """Serve files by their name, and the single-page application for the addresses of its pages.

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
        found = _file(folder, path) or (index if _PAGE.fullmatch(f"/{path}") else None)
        if found is None:
            raise NotFound("There is no such page.")
        return FileResponse(found)


def _file(folder: Path, path: str) -> Path | None:
    try:
        candidate = (folder / path).resolve()
        return candidate if path and candidate.is_file() and candidate.is_relative_to(folder) else None
    except (OSError, ValueError):  # no file can have that name, e.g. one of a thousand characters
        return None
