"""What is said with every answer, whether nginx or the backend gives it: headers, pages, and problems."""

import json
import re
from http import HTTPStatus
from typing import NamedTuple

PAGE_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
FRAMED_POLICY = PAGE_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
_ALWAYS = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"}
PRIVATE_HEADERS = _ALWAYS | {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
"""The headers of answers of the API, and of everything that is refused."""
PAGE_HEADERS = _ALWAYS | {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": PAGE_POLICY,
    "Referrer-Policy": "same-origin",
}
FRAMED_HEADERS = {name: text for name, text in PAGE_HEADERS.items() if name != "X-Frame-Options"} | {
    "Content-Security-Policy": FRAMED_POLICY
}
ASSET_HEADERS = PAGE_HEADERS | {"Cache-Control": "public, max-age=31536000, immutable"}
"""The names of assets hold a hash of their content."""

FRAMED_PAGE = "/shared/:token/charts/:chart"
"""A chart of a shared report: the one page that may stand in others. It does nothing, and leads out of its frame."""
PREVIEWED_PAGES = ("/shared/:token", "/shared/:token/comparison", "/shared/:token/trends")
"""The backend adds to their heads what a chat or a search engine shows of a link."""
PAGES = (
    "/",
    "/login",
    "/new-password",
    "/new-passkey",
    "/sample",
    *PREVIEWED_PAGES,
    FRAMED_PAGE,
    "/experiments",
    "/experiments/new",
    "/experiments/new/own",
    "/experiments/new/recipes/:recipeKey",
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
"""The addresses in ``frontend/src/app/pages.ts``."""


def pattern(*pages: str) -> str:
    """A regular expression of the addresses of these pages, with and without a slash at the end."""
    each = (re.sub(r":\w+", "[^/]+", page.rstrip("/")) for page in pages)
    return f"^({'|'.join(each)})/?$"


class Refusal(NamedTuple):
    """What nginx answers itself. ``to``: the statuses, as nginx has them, for which it says so."""

    status: HTTPStatus
    detail: str
    to: tuple[int, ...]
    headers: dict[str, str] = {}  # noqa: RUF012 (a named tuple's default, which nobody changes)

    @property
    def body(self) -> str:
        """An RFC 9457 problem document, as ``core.errors`` has them."""
        code = "unavailable" if self.status is HTTPStatus.SERVICE_UNAVAILABLE else _code(self.status)
        told = {"title": self.status.phrase, "status": self.status.value, "detail": self.detail, "code": code}
        return json.dumps({"type": "about:blank", **told, "errors": []}, separators=(",", ":"))


def _code(status: HTTPStatus) -> str:
    return status.phrase.lower().replace(" ", "-")


NOT_FOUND = Refusal(HTTPStatus.NOT_FOUND, "There is no such page.", (404,))
REFUSALS = (
    Refusal(HTTPStatus.BAD_REQUEST, "This is no HTTP request.", (400, 495, 496, 497)),
    NOT_FOUND,
    Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "Pages and files can be read only.", (405,), {"Allow": "GET, HEAD"}),
    Refusal(HTTPStatus.REQUEST_TIMEOUT, "The request took too long to arrive.", (408,)),
    Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is larger than this address takes.", (413,)),
    Refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The head of the request is too long.", (414, 494)),
    Refusal(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "The server has too many connections. Try again in a moment.",
        (503,),
        {"Retry-After": "5"},
    ),
    Refusal(HTTPStatus.NOT_IMPLEMENTED, "The request is in a form that is not understood here.", (501, 505)),
    Refusal(HTTPStatus.INTERNAL_SERVER_ERROR, "An unexpected error happened on the server.", (403, 500)),
    Refusal(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "The server is being started, or cannot answer at the moment. Try again.",
        (502, 504),
        {"Retry-After": "2"},
    ),
)
