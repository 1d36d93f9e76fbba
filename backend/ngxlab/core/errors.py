"""Errors that the API answers with: RFC 9457 problem documents with a stable ``code``."""

import math
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, TypeVar

import structlog
from asyncpg import PostgresError
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel
from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import compile_path

log = structlog.get_logger()

_Found = TypeVar("_Found")


class FieldProblem(BaseModel):
    """One thing wrong in a payload. ``field`` is a dotted path, e.g. ``parameters.connections``."""

    field: str
    message: str


class Problem(BaseModel):
    """An RFC 9457 problem document."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    errors: list[FieldProblem] = []


class ApiError(Exception):
    """Base of all errors that are answers to the caller."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "internal-error"
    more: Mapping[str, Any] = {}
    """Further members of the problem document."""

    def __init__(self, detail: str, *, code: str | None = None, errors: Sequence[FieldProblem] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.errors = list(errors)
        self.headers: dict[str, str] = {}


class BadRequest(ApiError):
    status, code = HTTPStatus.BAD_REQUEST, "bad-request"


class NotSignedIn(ApiError):
    status, code = HTTPStatus.UNAUTHORIZED, "not-signed-in"


class Forbidden(ApiError):
    status, code = HTTPStatus.FORBIDDEN, "forbidden"


class NotFound(ApiError):
    status, code = HTTPStatus.NOT_FOUND, "not-found"


def existing(found: _Found | None, what: str) -> _Found:
    """Raises NotFound where nothing was found."""
    if found is None:
        raise NotFound(f"There is no such {what}.")
    return found


class TooSlow(ApiError):
    status, code = HTTPStatus.REQUEST_TIMEOUT, "request-timeout"


class Conflict(ApiError):
    """Not possible in the current state; ``code`` says why."""

    status, code = HTTPStatus.CONFLICT, "conflict"


class Gone(ApiError):
    status, code = HTTPStatus.GONE, "gone"


class ContentTooLarge(ApiError):
    status, code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "content-too-large"


class Invalid(ApiError):
    """A payload that cannot be accepted, with one problem for each field."""

    status, code = HTTPStatus.UNPROCESSABLE_ENTITY, "invalid"


def invalid(field: str, message: str, *, code: str | None = None) -> Invalid:
    """What is wrong with one field."""
    return Invalid(message, code=code, errors=[FieldProblem(field=field, message=message)])


class TooManyRequests(ApiError):
    """``retry_after_s`` becomes the header Retry-After, in whole seconds."""

    status, code = HTTPStatus.TOO_MANY_REQUESTS, "too-many-requests"

    def __init__(self, detail: str, *, code: str | None = None, retry_after_s: float) -> None:
        super().__init__(detail, code=code)
        self.headers = {"Retry-After": str(math.ceil(retry_after_s))}


class Unavailable(ApiError):
    """Also for whatever finds the database away."""

    status, code = HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"


_TOLD_EVERY_S = 60.0
_MAX_PROBLEMS = 100
_MAX_FIELD, _MAX_MESSAGE, _MAX_DETAIL = 200, 1_000, 4_000
"""Characters. What is sent in does not come back out of all proportion."""


def _bounded(errors: Sequence[FieldProblem]) -> list[FieldProblem]:
    """The first problems. Fields and messages may quote what was sent."""
    return [
        error.model_copy(update={"field": error.field[:_MAX_FIELD], "message": error.message[:_MAX_MESSAGE]})
        for error in errors[:_MAX_PROBLEMS]
    ]


def problem(
    status: int,
    detail: str,
    code: str,
    errors: Sequence[FieldProblem] = (),
    *,
    headers: Any = None,
    more: Mapping[str, Any] | None = None,
) -> JSONResponse:
    """The answer: a problem document."""
    body = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail[:_MAX_DETAIL],
        code=code,
        errors=_bounded(errors),
    )
    content = body.model_dump() | dict(more or {})
    return JSONResponse(content, status_code=status, media_type="application/problem+json", headers=headers)


def _field_problems(error: RequestValidationError) -> list[FieldProblem]:
    """Paths without FastAPI's leading ``body``/``query``, so that they match the form's field names."""
    problems = []
    for item in error.errors()[:_MAX_PROBLEMS]:
        path = [str(part) for part in item["loc"] if part not in {"body", "query", "path"}]
        problems.append(FieldProblem(field=".".join(path), message=item["msg"].removeprefix("Value error, ")))
    return problems


def install(app: FastAPI) -> None:
    """Answer every error of the app with a problem document."""

    @app.exception_handler(ApiError)
    async def _api_error(_: Request, error: ApiError) -> JSONResponse:
        return problem(error.status, error.detail, error.code, error.errors, headers=error.headers, more=error.more)

    @app.exception_handler(RequestValidationError)
    async def _invalid_payload(_: Request, error: RequestValidationError) -> JSONResponse:
        problems = _field_problems(error)
        detail = "; ".join(f"{p.field}: {p.message}" for p in problems)
        return problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, "invalid", problems)

    @app.exception_handler(HTTPException)
    async def _http_error(request: Request, error: HTTPException) -> JSONResponse:
        code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
        headers = dict(error.headers or {})
        detail = str(error.detail)
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = ", ".join(sorted(_methods_of(request)))
        elif error.status_code == HTTPStatus.NOT_FOUND:  # the routers' own: endpoints raise NotFound
            detail = "There is no such endpoint."
        return problem(error.status_code, detail, code, headers=headers)

    _tell_of_broken_bodies(app)

    @app.exception_handler(DBAPIError)
    @app.exception_handler(PostgresError)
    @app.exception_handler(OSError)
    async def _away(request: Request, error: Exception) -> JSONResponse:
        if not is_away(error):
            return await _unexpected(request, error)
        log.warning("the database or Redis is away", route=_route(request), error=type(error).__name__)
        detail = "The server cannot reach its database or Redis at the moment. Try again."
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, detail, "unavailable", headers={"Retry-After": "2"})

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> JSONResponse:
        # Log the route, not the path: the path of a shared report contains its secret token.
        log.error("unexpected error", method=request.method, route=_route(request), exc_info=error)
        detail = "An unexpected error happened on the server and was logged. Nothing was changed."
        return problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail, "internal-error")


def _tell_of_broken_bodies(app: FastAPI) -> None:
    """Once a minute: anybody can send many, and the log has room for faults."""
    told_s = -math.inf

    @app.exception_handler(ClientDisconnect)
    async def _broken_off(request: Request, _: ClientDisconnect) -> JSONResponse:
        nonlocal told_s
        if time.monotonic() - told_s >= _TOLD_EVERY_S:
            told_s = time.monotonic()
            log.warning("a body broke off; others within a minute are not told", route=_route(request))
        return problem(HTTPStatus.BAD_REQUEST, "The body broke off.", "broken-off")


def _methods_of(request: Request) -> set[str]:
    """The methods of all routes with the request's path; Starlette names only those of the first."""
    path = request.url.path
    contexts = (c for c in iter_route_contexts(request.app.routes) if c.path and compile_path(c.path)[0].match(path))
    return {method for context in contexts for method in context.methods or ()}


def _route(request: Request) -> str:
    """The route's path as it is declared, e.g. ``/api/v1/shared/{token}``."""
    return str(getattr(request.scope.get("route"), "path", "none"))


def responses(*errors: type[ApiError]) -> dict[int | str, dict[str, Any]]:
    """Declare errors of a route in OpenAPI that do not follow from what it takes (``core.openapi`` adds those)."""
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    found: dict[int | str, dict[str, Any]] = {
        int(e.status): {"description": e.status.phrase, "content": content} for e in errors
    }
    for status in {int(TooManyRequests.status), int(Unavailable.status)} & found.keys():
        found[status]["headers"] = {"Retry-After": _RETRY_AFTER}
    return found


_RETRY_AFTER = {"description": "After how many seconds to try again.", "schema": {"type": "integer"}}


_AWAY_STATES = ("08", "53", "57P")
"""Classes of SQLSTATE: the connection broke off; connections, memory or disk ran out; PostgreSQL starts or stops.
Source: PostgreSQL, Appendix A, "PostgreSQL Error Codes"."""


def driver_error(error: BaseException | None) -> BaseException | None:
    """The driver's own error, where SQLAlchemy has made another of it."""
    return getattr(error.orig, "__cause__", None) or error.orig if isinstance(error, DBAPIError) else error


def is_away(error: BaseException | None) -> bool:
    """Whether the database, or whatever else is connected to, cannot be reached or has broken off."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or is_away(driver_error(error))
    if isinstance(error, PostgresError) and str(error.sqlstate).startswith(_AWAY_STATES):
        return True
    return isinstance(error, ConnectionError | TimeoutError)
