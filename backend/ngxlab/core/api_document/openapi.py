"""The OpenAPI document: what FastAPI makes of the routes, with what holds for all of them said once.

Each operation says who may call it and how they show it, and which problem documents it may answer with: those of its
decision on access, those of its inputs, and those that the route itself declares.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from starlette.routing import compile_path

from ngxlab.core.access import Caller, decisions_of
from ngxlab.core.api_document.words import EXAMPLES, PARAMETERS
from ngxlab.core.errors import (
    ApiError,
    BadRequest,
    Conflict,
    ContentTooLarge,
    FieldProblem,
    Forbidden,
    Invalid,
    NotFound,
    NotSignedIn,
    Problem,
    responses,
)

_BY_FASTAPI = ("HTTPValidationError", "ValidationError")
_SCHEMES: dict[str, dict[str, Any]] = {
    "session": {
        "type": "apiKey", "in": "cookie", "name": "ngxlab_session",
        "description": "A browser's session. Unsafe methods need the header X-CSRF-Token too.",
    },
    "token": {"type": "http", "scheme": "bearer", "description": "A personal API token."},
    "host": {"type": "http", "scheme": "bearer", "description": "The credential of a host."},
    "coordinator": {"type": "http", "scheme": "bearer", "description": "The secret of this installation."},
}  # fmt: skip


def completed(document: dict[str, Any], app: FastAPI) -> dict[str, Any]:
    """``document`` with callers and problems; it is changed in place."""
    for context, operation in _operations(document, app):
        caller = _caller(context)
        operation["x-caller"] = caller
        operation["security"] = _security(caller)
        _explain(operation)
        declared = operation.setdefault("responses", {})
        if _is_fastapis(declared.get("422")):
            del declared["422"]
        for status, response in responses(*_problems(caller, operation)).items():
            declared.setdefault(str(status), response)
    components = document["components"]
    components["securitySchemes"] = _SCHEMES
    for name in _BY_FASTAPI:
        components["schemas"].pop(name, None)
    for model in (FieldProblem, Problem):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
        schema.pop("$defs", None)
        components["schemas"][model.__name__] = schema
    return document


def _explain(operation: dict[str, Any]) -> None:
    """Descriptions of parameters that have none of their own, and an example of the body."""
    for parameter in operation.get("parameters", []):
        if known := PARAMETERS.get(f"{parameter['in']} {parameter['name']}"):
            parameter.setdefault("description", known)
    if example := EXAMPLES.get(operation["operationId"]):
        operation["requestBody"]["content"]["application/json"]["example"] = example


def _operations(document: dict[str, Any], app: FastAPI) -> Iterator[tuple[RouteContext, dict[str, Any]]]:
    for context in iter_route_contexts(app.routes):
        if not isinstance(context.original_route, APIRoute) or context.path is None:
            continue
        for method in context.methods or ():
            operation = document["paths"].get(compile_path(context.path)[1], {}).get(method.lower())
            if operation is not None:
                yield context, operation


def _caller(context: RouteContext) -> Caller:
    (decision,) = decisions_of(context.dependant)
    caller: Caller = decision.caller  # type: ignore[attr-defined]
    return caller


def _security(caller: Caller) -> list[dict[str, list[str]]]:
    if caller == "anyone":
        return []
    return [{caller: []}] if caller in _SCHEMES else [{"session": []}, {"token": []}]


def _problems(caller: Caller, operation: dict[str, Any]) -> Iterable[type[ApiError]]:
    if caller != "anyone":
        yield NotSignedIn
    if caller not in {"anyone", "host", "coordinator"}:  # a role, a token's scope, a one-time password, CSRF
        yield Forbidden
    if "requestBody" in operation:
        yield from (BadRequest, ContentTooLarge)
    parameters = operation.get("parameters", [])
    if any(parameter["in"] == "path" for parameter in parameters):
        yield from (NotFound, Conflict)  # what is stored may be unreadable
    if "requestBody" in operation or parameters:
        yield Invalid


def _is_fastapis(response: dict[str, Any] | None) -> bool:
    return response is not None and "HTTPValidationError" in str(response)
