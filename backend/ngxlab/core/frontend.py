"""Serve the built frontend from the same origin as the API."""

import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path

from fastapi import Depends, FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from ngxlab.core.access import public
from ngxlab.core.answers import PAGE_HEADERS
from ngxlab.core.connections.compression import PrecompressedFiles
from ngxlab.core.errors import NotFound

PAGES = (
    "/",
    "/login",
    "/new-password",
    "/shared/:token",
    "/shared/:token/charts/:chart",
    "/shared/:token/comparison",
    "/shared/:token/trends",
    "/experiments",
    "/experiments/new",
    "/experiments/new/:templateKey",
    "/experiments/:experimentId",
    "/experiments/:experimentId/design",
    "/experiments/:experimentId/trends",
    "/runs",
    "/runs/:runId",
    "/runs/:runId/report",
    "/compare",
    "/hosts",
    "/hosts/:hostId",
    "/audit",
    "/storage",
    "/people",
    "/people/:accountId",
    "/account",
    "/api-docs",
)
"""The addresses in ``frontend/src/app/pages.ts``. ``docker/nginx.conf`` has them, too."""

_PAGE = re.compile("|".join(re.sub(r":\w+", "[^/]+", page.rstrip("/")) + "/?" for page in PAGES))


Head = Callable[[Request], Awaitable[str]]
"""What stands in the head of the page at an address, beside what always does; a title replaces the page's."""


async def _no_head(_: Request) -> str:
    return ""


def serve_frontend(app: FastAPI, folder: Path, head: Head = _no_head) -> None:
    """Serve files by their name, and the single-page application for the addresses of its pages.

    Raises RuntimeError if ``folder`` contains no build.
    """
    folder = folder.resolve()
    index = folder / "index.html"
    if not index.is_file():
        raise RuntimeError(f"NGXLAB_FRONTEND_DIR={folder} has no index.html: build the frontend first")
    app.mount("/assets", PrecompressedFiles(directory=folder / "assets"), name="assets")

    @app.get("/{path:path}", include_in_schema=False, dependencies=[Depends(public)])
    async def page(path: str, request: Request) -> Response:
        if request.url.path.startswith("/api/"):
            raise NotFound("There is no such endpoint.")
        if (found := await run_in_threadpool(_file, folder, path)) is not None:
            return FileResponse(found)
        if not _PAGE.fullmatch(f"/{path}"):
            return _unknown(index, request)
        if more := await head(request):
            return HTMLResponse(_with_head(await run_in_threadpool(index.read_text), more))
        return FileResponse(index)


def _unknown(index: Path, request: Request) -> Response:
    """Programs are told in a problem document; a browser gets the application, which says it and leads on."""
    if "text/html" not in request.headers.get("Accept", ""):
        raise NotFound("There is no such page.")
    return FileResponse(index, status_code=HTTPStatus.NOT_FOUND, headers=PAGE_HEADERS)


def _with_head(page: str, more: str) -> str:
    if "<title>" in more:
        page = re.sub(r"<title>[^<]*</title>", "", page, count=1)
    return page.replace("</head>", f"{more}</head>", 1)


def _file(folder: Path, path: str) -> Path | None:
    try:
        candidate = (folder / path).resolve()
        return candidate if path and candidate.is_file() and candidate.is_relative_to(folder) else None
    except (OSError, ValueError):  # no file can have that name, e.g. one of a thousand characters
        return None
