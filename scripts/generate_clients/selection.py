"""The part of an OpenAPI document that a client uses, loose enough for a client that is older than its server."""

from collections.abc import Mapping
from typing import Any

from scripts.console import Failure

LEFT_OUT = frozenset({"title", "description", "minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength",
                      "pattern", "minItems", "maxItems", "const", "enum", "propertyNames"})  # fmt: skip
"""Keywords: a newer server may allow more values than those of today, and the API's own document explains fields."""
REFERENCE = "#/components/schemas/"
_SENTENCE = {"$ref": f"{REFERENCE}SentenceParts"}
"""Beside a plain string: the command line shows its English."""


def select(document: Mapping[str, Any], fields: Mapping[str, list[str]]) -> dict[str, Any]:
    """A JSON schema whose ``$defs`` are the schemas of ``fields`` with the fields listed there, and nothing else.

    Enumerations become plain strings. Raises :class:`Failure` for a schema or field that the document does not have,
    and for a field whose schema is not listed.
    """
    schemas: dict[str, Any] = document["components"]["schemas"]
    return {"$defs": {short_name(name): _pick(schemas, name, wanted, fields) for name, wanted in fields.items()}}


def short_name(schema: str) -> str:
    """``HostSummary`` of ``ngxlab__hosts__schemas__HostSummary``, as FastAPI calls one of several of the same name."""
    return schema.rpartition("__")[2]


def _pick(schemas: Mapping[str, Any], name: str, wanted: list[str], listed: Mapping[str, list[str]]) -> dict[str, Any]:
    schema = schemas.get(name)
    if schema is None:
        raise Failure(f"the API has no schema {name}", "correct its name in cli/api.toml")
    if unknown := [field for field in wanted if field not in schema["properties"]]:
        raise Failure(f"{name} has no field {', '.join(unknown)}", "correct cli/api.toml and the code that reads it")
    properties = {field: _loosen(schemas, schema["properties"][field], listed, f"{name}.{field}") for field in wanted}
    required = [field for field in schema.get("required", []) if field in wanted]
    # Without the schema's description, which speaks of all its fields.
    return {"type": "object", "properties": properties, "required": required}


def _loosen(schemas: Mapping[str, Any], node: Any, listed: Mapping[str, list[str]], place: str) -> Any:
    if isinstance(node, list):
        return [_loosen(schemas, entry, listed, place) for entry in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _refer(schemas, node["$ref"].removeprefix(REFERENCE), listed, place)
    if _SENTENCE in node.get("anyOf", ()):
        others = [one for one in node["anyOf"] if one != _SENTENCE and one.get("type") != "string"]
        return {"anyOf": [{"type": "string", "customTypePath": "ngxlab_cli.api_model.Sentence"}, *others]}
    return {key: _loosen(schemas, value, listed, place) for key, value in node.items() if key not in LEFT_OUT}


def _refer(schemas: Mapping[str, Any], name: str, listed: Mapping[str, list[str]], place: str) -> dict[str, Any]:
    if "enum" in schemas[name]:
        return {"type": schemas[name]["type"]}
    if name not in listed:
        raise Failure(f"{place} is a {name}, which is not listed", "list its fields in cli/api.toml")
    return {"$ref": f"#/$defs/{short_name(name)}"}
