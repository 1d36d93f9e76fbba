"""The designer's fields as the schema declares them (:mod:`ngxlab_contracts.fields`), with their texts to translate."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ngxlab.definition.schema.definition import Definition

from scripts.paths import FRONTEND

DECLARED = FRONTEND / "src" / "features" / "designer" / "fields" / "declared.ts"
_HEAD = """\
// The designer's fields as the API's schema declares them, and its defaults. Written by `make api-client`: do not edit.
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

/** A text without a translation is alike in all languages. */
export type Words = MessageDescriptor | string;

export interface Declared {
  kind: 'number' | 'text' | 'code' | 'switch' | 'choice';
  label: Words;
  unit?: Words;
  description?: Words;
  placeholder?: Words;
  /** An expression over variables may stand here. */
  templated?: true;
  /** An emptied field means "not given". */
  optional?: true;
  /** Its language; `line` is a short text in a fixed width. */
  code?: 'line' | 'nginx' | 'lua';
  options?: readonly (readonly [value: string, label: Words])[];
}

"""
_WORD = re.compile(r"[a-z]{3,}")
_SECTION = re.compile(r"#/\$defs/(\w+)")
Schema = Mapping[str, Any]


def generate() -> dict[Path, str]:
    """The file, by its path. Each field is named ``Section.field``, in the schema's order."""
    schema = Definition.model_json_schema()
    sections: dict[str, Schema] = {"Definition": schema, **schema["$defs"]}
    fields = [
        f"  '{name}.{field}': {_object(_declared(one))},\n"
        for name, section in sections.items()
        for field, one in _fields(section).items()
        if "x-label" in one
    ]
    texts = [
        _HEAD,
        f"export const FIELDS = {{\n{''.join(fields)}}} satisfies Record<string, Declared>;\n\n",
        f"export const DEFAULTS = {{\n{_by_section(sections, _defaults)}}} as const;\n\n",
        "/** Fields that hold sections, with the names of those that can be there. */\n",
        f"export const PARTS = {{\n{_by_section(sections, _parts)}}} as const;\n",
    ]
    return {DECLARED: "".join(texts)}


def _by_section(sections: Mapping[str, Schema], told: Callable[[Schema], Iterator[tuple[str, str]]]) -> str:
    lines = ((name, list(told(section))) for name, section in sections.items())
    return "".join(f"  {name}: {_object(values)},\n" for name, values in lines if values)


def _fields(section: Schema) -> Mapping[str, Schema]:
    fields: Mapping[str, Schema] = section.get("properties", {})
    return fields


def _declared(one: Schema) -> Iterator[tuple[str, str]]:
    """What a field is told, as TypeScript, by its names."""
    types = list(_types(one))
    values = [value for part in types for value in part.get("enum", ())]
    yield "kind", _text(_kind(one, types, values))
    yield "label", _words(one["x-label"])
    if unit := one.get("x-unit"):
        yield "unit", _words(unit) if _WORD.search(unit) else _text(unit)
    for name, words in (("description", one.get("x-note")), ("placeholder", one.get("x-placeholder"))):
        if words:
            yield name, _words(words)
    if any("{{" in part.get("pattern", "").replace("\\", "") for part in types):
        yield "templated", "true"
    if any(part.get("type") == "null" for part in one.get("anyOf", ())):
        yield "optional", "true"
    if code := one.get("x-code"):
        yield "code", _text(code)
    if values:
        named = one.get("x-choices", [(value, [value]) for value in values])
        options = (f"[{_text(value)}, {_words(words)}]" for value, words in named)
        yield "options", f"[{', '.join(options)}]"


def _kind(one: Schema, types: list[Schema], values: list[str]) -> str:
    if values:
        return "choice"
    if any(part.get("type") in {"integer", "number"} for part in types):
        return "number"
    if types[0].get("type") == "boolean":
        return "switch"
    return "text" if one.get("x-code", "line") == "line" else "code"


def _types(one: Schema) -> Iterator[Schema]:
    for branch in one.get("anyOf", [one]):
        if branch.get("type") != "null":
            yield branch


def _defaults(section: Schema) -> Iterator[tuple[str, str]]:
    for name, one in _fields(section).items():
        if "default" not in one:
            continue
        default = one["default"]
        if isinstance(default, str):
            yield name, _text(default)
        else:
            yield name, json.dumps(int(default) if isinstance(default, float) and default.is_integer() else default)


def _parts(section: Schema) -> Iterator[tuple[str, str]]:
    for name, one in _fields(section).items():
        if parts := dict.fromkeys(_SECTION.findall(json.dumps(one))):
            yield name, json.dumps(list(parts))


def _words(words: str | Sequence[str]) -> str:
    match words:
        case str(text):
            return f"msg`{text}`"
        case [alike]:
            return _text(alike)
        case [text, context]:
            return f"msg({_object([('message', _text(text)), ('context', _text(context))])})"
    raise ValueError(words)


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _object(entries: Any) -> str:
    return f"{{ {', '.join(f'{name}: {value}' for name, value in entries)} }}"
