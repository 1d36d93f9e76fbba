"""The OpenAPI document: what FastAPI makes of the routes, with what holds for all of them said once.

Each operation says who may call it and how they show it, and which problem documents it may answer with: those of its
decision on access, those of its inputs, and those that the route itself declares.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from starlette.routing import compile_path

from ngxlab.core.access import Caller, decisions_of
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
    responses,
)
from ngxlab.core.paging import LIMIT, START
from ngxlab.core.problems import Problem

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
    for webhook in document.get("webhooks", {}).values():
        del webhook["post"]["responses"]["422"]
    components = document["components"]
    components["securitySchemes"] = _SCHEMES
    for name in _BY_FASTAPI:
        components["schemas"].pop(name, None)
    for model in (FieldProblem, Problem):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
        schema.pop("$defs", None)
        components["schemas"][model.__name__] = schema
    named = _plainly_named(document)
    _describe_properties(named["components"]["schemas"])
    return named


def _describe_properties(schemas: dict[str, Any]) -> None:
    """Describe what its field does not: as its class does ("``name``: ..."), else by its name."""
    words = property_words()
    for name, schema in schemas.items():
        by_class = _described_by_class(schema.get("description", ""))
        for key, about in schema.get("properties", {}).items():
            known = by_class.get(key) or words.get(f"{name}.{key}") or words.get(key)
            if known and "description" not in about:
                about["description"] = known


def property_words() -> dict[str, str]:
    """Return the descriptions of properties by name, or by the names of schema and property."""
    return _read("properties")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))


PARAMETERS: dict[str, str] = _read("parameters") | {"query limit": LIMIT, "query start": START}
"""Descriptions by place and name; an operation's own description goes before."""
EXAMPLES: dict[str, dict[str, Any]] = _read("examples")


def _described_by_class(text: str) -> dict[str, str]:
    """Return what the description of a class says of each of its properties."""
    parts = re.split(r"(?:^|(?<=[.;\n]))\s*((?:``\w+``(?:, | and )?)+): ", text)
    return {
        name: " ".join(said.split()).rstrip(";")
        for names, said in zip(parts[1::2], parts[2::2], strict=True)
        for name in re.findall(r"``(\w+)``", names)
    }


def _plainly_named(document: dict[str, Any]) -> dict[str, Any]:
    """Name schemas as their classes: FastAPI adds modules to names that occur twice, and lists the types of generics.

    Of two classes of one name, that of the messages to hosts is the *spec*.
    """
    names = {
        name: f"{name.rpartition('__')[2]}Spec" if name.startswith("ngxlab_contracts__") else name.rpartition("__")[2]
        for name in document["components"]["schemas"]
        if "__" in name
    }
    names |= {name: schema["title"] for name, schema in document["components"]["schemas"].items() if name.endswith("_")}
    text = json.dumps(document)
    for name, plain in names.items():
        text = text.replace(f'"{name}":', f'"{plain}":').replace(
            f'"#/components/schemas/{name}"', f'"#/components/schemas/{plain}"'
        )
    named: dict[str, Any] = json.loads(text)
    return named


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
