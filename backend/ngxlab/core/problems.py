"""RFC 9457 problem documents: the form in which the API answers with errors."""

import math
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import structlog
from asyncpg import PostgresError
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from ngxlab_contracts.sentences import Sentence, SentenceParts, parts_of, say
from pydantic import BaseModel, Field
from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import compile_path

from ngxlab.core.database import is_away
from ngxlab.core.errors import ApiError, FieldProblem, described

log = structlog.get_logger()

_TOLD_EVERY_S = 60.0
_MAX_PROBLEMS = 100
_MAX_FIELD, _MAX_MESSAGE, _MAX_DETAIL = 200, 1_000, 4_000
"""Characters. What is sent in does not come back out of all proportion."""


class Problem(BaseModel):
    """An RFC 9457 problem document."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    said: SentenceParts | None = Field(default=None, exclude_if=lambda said: said is None)
    """What the detail is made of, by which pages say it in other languages."""
    code: str
    errors: list[FieldProblem] = []


def _bounded(errors: Sequence[FieldProblem]) -> list[FieldProblem]:
    """The first problems. Fields and messages may quote what was sent."""
    return [_shortened(error) for error in errors[:_MAX_PROBLEMS]]


def _shortened(error: FieldProblem) -> FieldProblem:
    field = error.field[:_MAX_FIELD]
    if len(error.message) > _MAX_MESSAGE:
        return FieldProblem(field=field, message=Sentence(error.message[:_MAX_MESSAGE]))
    return error.model_copy(update={"field": field})


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
        said=parts_of(detail) if len(detail) <= _MAX_DETAIL else None,
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
        problems.append(FieldProblem(field=".".join(path), message=_words(item)))
    return problems


_OF_PYDANTIC: Mapping[str, Sequence[str]] = {
    "missing": [say("Field required")],
    "extra_forbidden": [say("Extra inputs are not permitted")],
    "greater_than": ["Input should be greater than {gt}"],
    "greater_than_equal": ["Input should be greater than or equal to {ge}"],
    "less_than": ["Input should be less than {lt}"],
    "less_than_equal": ["Input should be less than or equal to {le}"],
    "finite_number": [say("Input should be a finite number")],
    "string_type": [say("Input should be a valid string")],
    "string_too_short": [
        "String should have at least {min_length} characters",
        "String should have at least {min_length} character",
    ],
    "string_too_long": ["String should have at most {max_length} characters"],
    "too_short": [
        "List should have at least {min_length} items after validation, not {actual_length}",
        "List should have at least {min_length} item after validation, not {actual_length}",
    ],
    "too_long": ["List should have at most {max_length} items after validation, not {actual_length}"],
    "enum": ["Input should be {expected}"],
    "literal_error": ["Input should be {expected}"],
    "dict_type": [say("Input should be a valid dictionary")],
    "list_type": [say("Input should be a valid list")],
    "bool_type": [say("Input should be a valid boolean")],
    "int_type": [say("Input should be a valid integer")],
    "int_parsing": [say("Input should be a valid integer, unable to parse string as an integer")],
    "int_from_float": [say("Input should be a valid integer, got a number with a fractional part")],
    "float_type": [say("Input should be a valid number")],
    "timezone_aware": [say("Input should have timezone info")],
}
"""By the type of an error, what pydantic says of it, in the singular, too."""


def _words(error: Mapping[str, Any]) -> str:
    """What a validator of ours says, or pydantic; as a sentence where its words are known."""
    context = error.get("ctx", {})
    raised = context.get("error")
    if isinstance(raised, ValueError) and raised.args and isinstance(raised.args[0], Sentence):
        return raised.args[0]
    text = str(error["msg"]).removeprefix("Value error, ")
    values = {name: one if isinstance(one, str | int | float) else str(one) for name, one in context.items()}
    known = (_filled(template, values) for template in _OF_PYDANTIC.get(error["type"], ()))
    return next((sentence for sentence in known if sentence == text), text)


def _filled(template: str, values: Mapping[str, Any]) -> str | None:
    """``None`` where whoever collected the errors left out what they are about."""
    try:
        return say(template, **values)
    except KeyError:
        return None


def install(app: FastAPI) -> None:
    """Answer every error of the app with a problem document."""

    @app.exception_handler(ApiError)
    async def _api_error(_: Request, error: ApiError) -> JSONResponse:
        return problem(error.status, error.detail, error.code, error.errors, headers=error.headers, more=error.more)

    @app.exception_handler(RequestValidationError)
    async def _invalid_payload(_: Request, error: RequestValidationError) -> JSONResponse:
        problems = _field_problems(error)
        return problem(HTTPStatus.UNPROCESSABLE_ENTITY, described(problems), "invalid", problems)

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
