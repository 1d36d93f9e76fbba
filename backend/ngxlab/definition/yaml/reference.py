"""``python -m ngxlab.definition.yaml.reference docs``: the JSON Schema, and the YAML reference that is made from it."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ngxlab.definition.yaml.documents import document_schema

_HEAD = """\
# YAML reference

<!-- Written by `make docs` from the schema: do not edit. -->

An experiment as a document, for `ngxlab run FILE.yaml`, `ngxlab validate` and the designer's import. Editors check it
by [experiment.schema.json](experiment.schema.json). A *templated* number may be an expression over the variables of an
arm's levels, such as `{{ workers }}`. Fields without a default are required. Ready examples: [examples](../examples).
"""
_LONGEST_DEFAULT = 40

Schema = Mapping[str, Any]


def reference() -> str:
    """All sections, each with a table of its properties, in the order in which the document mentions them."""
    schema = document_schema()
    sections = dict(_sections(schema, schema["$defs"]))
    return "\n".join([_HEAD, *(_section(title, part) for title, part in [("The document", schema), *sections.items()])])


def _sections(part: Schema, defs: Schema, seen: set[str] | None = None) -> Iterator[tuple[str, Schema]]:
    """The definitions that a part refers to, depth first, each once."""
    seen = set() if seen is None else seen
    for name in _names_in(part.get("properties", {})):
        if name not in seen:
            seen.add(name)
            yield name, defs[name]
            yield from _sections(defs[name], defs, seen)


def _names_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].rpartition("/")[2]
        for inner in value.values():
            yield from _names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names_in(inner)


def _section(title: str, part: Schema) -> str:
    rows = [_row(name, one, part.get("required", ())) for name, one in part["properties"].items()]
    return "\n".join([f"## {title}", "", "| property | value | default | meaning |", "|---|---|---|---|", *rows, ""])


def _row(name: str, one: Schema, required: Any) -> str:
    cells = [f"`{name}`", _type(one), "required" if name in required else _default(one), one["description"]]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _default(one: Schema) -> str:
    text = json.dumps(one.get("default"), ensure_ascii=False)
    return (
        f"`{text}`" if "default" in one and len(text) <= _LONGEST_DEFAULT else "none" if "default" not in one else "…"
    )


def _type(one: Schema) -> str:
    """In words: ``whole number, 1 to 100``."""
    if "$ref" in one:
        name = one["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for branches in (one.get("anyOf"), one.get("oneOf")):
        if branches:
            return " or ".join(dict.fromkeys(_type(branch) for branch in branches if branch.get("type") != "null"))
    if "enum" in one or "const" in one:
        return ", ".join(f"`{value}`" for value in one.get("enum", [one.get("const")]))
    if one.get("type") == "array":
        return f"list of {_type(one['items'])}"
    if one.get("type") == "object":
        return f"object of {_type(one['additionalProperties'])}" if "additionalProperties" in one else "object"
    return _WORDS.get(str(one.get("type")), "any") + _range(one)


_WORDS = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false"}


def _range(one: Schema) -> str:
    if "{{" in str(one.get("pattern", "")).replace("\\", ""):
        return " (templated)"
    low, high = one.get("minimum", one.get("exclusiveMinimum")), one.get("maximum", one.get("exclusiveMaximum"))
    if low is None and high is None:
        return ""
    more = "more than " if "exclusiveMinimum" in one else ""
    return f", {more}{low:,}" + (f" to {high:,}" if high is not None else "")


def schema_text() -> str:
    return json.dumps(document_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    written = {"experiment.schema.json": schema_text(), "yaml.md": reference()}
    for name, text in written.items():
        (folder / name).write_text(text)
