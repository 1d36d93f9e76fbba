"""What holds for every answer: its headers, its form if it is an error, and which addresses are answered at all.

The outermost layer, so that it covers the answers of the framework itself too.
"""

import re
from http import HTTPStatus
from urllib.parse import parse_qsl

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ngxlab.core.errors import FieldProblem, problem
from ngxlab.core.payload import not_allowed
from ngxlab.core.request_context import REQUEST_ID_HEADER, RequestContextMiddleware, new_request_id

PAGE_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
FRAMED_POLICY = PAGE_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
_FRAMED = re.compile(r"/shared/[^/]+/charts/[^/]+/?")
"""A chart of a shared report: the one page that may stand in others. It does nothing, and leads out of its frame."""
_ALWAYS = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"}
_PRIVATE = _ALWAYS | {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
PAGE_HEADERS = _ALWAYS | {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": PAGE_POLICY,
    "Referrer-Policy": "same-origin",
}
_FRAMED_PAGE = {name: text for name, text in PAGE_HEADERS.items() if name != "X-Frame-Options"} | {
    "Content-Security-Policy": FRAMED_POLICY
}
_ASSET = PAGE_HEADERS | {"Cache-Control": "public, max-age=31536000, immutable"}
"""Names in there hold a hash of their content."""


def _headers_for(path: str, status: int) -> dict[str, str]:
    if path.startswith("/assets/"):
        return _ASSET if status < HTTPStatus.BAD_REQUEST else _PRIVATE
    is_private = path.startswith("/api/") or path in {"/healthz", "/readyz", "/metrics"}
    if is_private or status >= HTTPStatus.BAD_REQUEST:
        return _PRIVATE
    return _FRAMED_PAGE if _FRAMED.fullmatch(path) else PAGE_HEADERS


class SoundAnswers:
    """Wraps the whole application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, receive, send)
        if (refusal := _refused_address(scope)) is not None:
            await refusal(scope, receive, answer.send)
        else:
            await self._app(scope, receive, answer.send)


class _Answer:
    """Adds the headers that are missing, and turns an error in plain text into a problem document."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._replaced = False

    async def send(self, message: Message) -> None:
        if self._replaced:
            return
        if message["type"] != "http.response.start":
            await self._send(message)
            return
        headers = MutableHeaders(scope=message)
        status: int = message["status"]
        if status >= HTTPStatus.BAD_REQUEST and headers.get("Content-Type", "").startswith("text/plain"):
            self._replaced = True
            await _plain_problem(status)(self._scope, self._receive, self._send_with_headers)
            return
        await self._send_with_headers(message)

    async def _send_with_headers(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _headers_for(self._scope["path"], message["status"]).items():
                headers.setdefault(name, value)
        await self._send(message)


def _plain_problem(status: int) -> Response:
    phrase = HTTPStatus(status).phrase
    return problem(status, f"{phrase}.", phrase.lower().replace(" ", "-"))


def _refused_address(scope: Scope) -> Response | None:
    """The answer to an address that has a NUL, which no file, no text in PostgreSQL and no id can contain."""
    if "\0" in scope["path"]:
        return _with_nul("path")
    if b"%00" in scope["query_string"]:
        for name, value in parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True):
            if "\0" in name or "\0" in value:
                return _with_nul(name.replace("\0", "U+0000"))
    return None


def _with_nul(field: str) -> Response:
    message = not_allowed("\0")
    errors = [FieldProblem(field=field, message=message)]
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, f"{field}: {message}", "invalid", errors)


def problem_on_the_wire(status: HTTPStatus, detail: str) -> bytes:
    """A whole answer, for what is refused before there is a request; the connection ends with it."""
    body = bytes(problem(status, detail, status.phrase.lower().replace(" ", "-")).body)
    head = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        "content-type: application/problem+json",
        f"content-length: {len(body)}",
        *(f"{name.lower()}: {value}" for name, value in _PRIVATE.items()),
        f"{REQUEST_ID_HEADER.lower()}: {new_request_id()}",
        "connection: close",
    ]
    return "\r\n".join(head).encode("ascii") + b"\r\n\r\n" + body


async def _too_many_connections(scope: Scope, receive: Receive, send: Send) -> None:
    detail = "The server has too many connections. Try again in a moment."
    headers = {"Retry-After": "5", "Connection": "close"}
    await problem(HTTPStatus.SERVICE_UNAVAILABLE, detail, "unavailable", headers=headers)(scope, receive, send)


busy: ASGIApp = RequestContextMiddleware(SoundAnswers(_too_many_connections))
"""Answers instead of the application while there are too many connections."""
