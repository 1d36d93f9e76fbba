"""Errors that the API answers with, each with a stable ``code``. Imports nothing of the web server or the database."""

import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated, Any, Self, TypeVar

from ngxlab_contracts.sentences import Sentence, SentenceParts, fixed, listed, parts_of, say
from pydantic import BaseModel, Field, PlainSerializer, WithJsonSchema, model_validator

_Found = TypeVar("_Found")


class FieldProblem(BaseModel):
    """One thing wrong in a payload. ``field`` is a dotted path, e.g. ``parameters.connections``. ``said``: what the
    message is made of, by which pages say it in other languages; ``None`` where it has no values."""

    field: str
    message: Annotated[Sentence, PlainSerializer(str, return_type=str), WithJsonSchema({"type": "string"})]
    said: SentenceParts | None = Field(default=None, exclude_if=lambda said: said is None)

    @model_validator(mode="after")
    def _has_its_parts(self) -> Self:
        self.said = self.said or parts_of(self.message)
        return self


def described(problems: Sequence[FieldProblem]) -> Sentence:
    """All of them in one sentence."""
    said = [say("{field}: {problem}", field=problem.field, problem=problem.message) for problem in problems]
    return listed(said, "; ") if said else Sentence("")


class ApiError(Exception):
    """Base of all errors that are answers to the caller."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "internal-error"
    more: Mapping[str, Any] = {}
    """Further members of the problem document."""

    def __init__(
        self, detail: str, *, code: str | None = None, errors: Sequence[FieldProblem] = (), **values: str | float
    ) -> None:
        """``detail``: a sentence, or its template, whose places ``values`` fill as :func:`say` does."""
        self.detail = say(detail, **values) if values else detail
        super().__init__(self.detail)
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
        raise NotFound("There is no such {what}.", what=fixed(what))
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
