"""What is sent is compressed: files of the frontend when they are built, answers of the API as they leave."""

import mimetypes
import stat

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

_SMALLEST_BYTES = 1024
_LEVEL = 4
"""Two thirds of the time of level 6, for a twentieth more bytes."""
_PACKED = (".zip", ".parquet")
_SIGN_IN = "/api/v1/auth/"
"""Answers with secrets have the same length whatever else is in them (BREACH)."""
_CODINGS = (("br", ".br"), ("gzip", ".gz"))


class CompressedAnswers:
    """Of the API, except what is packed already. Events are sent as they are, since each leaves at once."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._packing = app, GZipMiddleware(app, minimum_size=_SMALLEST_BYTES, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        packs = path.startswith("/api/") and not path.startswith(_SIGN_IN) and not path.endswith(_PACKED)
        await (self._packing if packs else self._app)(scope, receive, send)


class PrecompressedFiles(StaticFiles):
    """Sends the smallest form of a file that the browser understands and that stands beside it."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        accepted = accepted_codings(Headers(scope=scope).get("Accept-Encoding", ""))
        for coding, suffix in _CODINGS:
            if coding in accepted and await run_in_threadpool(self._is_there, path + suffix):
                response = await super().get_response(path + suffix, scope)
                response.headers["Content-Encoding"] = coding
                response.headers["Content-Type"] = mimetypes.guess_type(path)[0] or "application/octet-stream"
                break
        else:
            response = await super().get_response(path, scope)
        response.headers.add_vary_header("Accept-Encoding")
        return response

    def _is_there(self, path: str) -> bool:
        _, found = self.lookup_path(path)
        return found is not None and stat.S_ISREG(found.st_mode)


def accepted_codings(header: str) -> set[str]:
    """Those that are not refused by ``q=0``."""
    accepted = set()
    for part in header.lower().split(","):
        coding, _, weight = part.strip().partition(";")
        if weight.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}:
            accepted.add(coding.strip())
    return accepted
