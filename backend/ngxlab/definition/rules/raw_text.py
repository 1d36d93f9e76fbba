"""Rules for any raw definition before its fields are read: text and numbers can be stored, nesting is limited."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ngxlab.core.payload import not_allowed, unshowable
from ngxlab.definition.problems import DefinitionProblem

_MAX_DEPTH = 12
_MAX_NUMBER = 2**53
MAX_VALUES = 10_000
"""200 arms of ten factors have 2,600."""


def problems_in_raw(raw: Mapping[str, Any]) -> list[DefinitionProblem]:
    """Values that neither JSON nor PostgreSQL can store unchanged, each with its path."""
    if not _has_at_most(MAX_VALUES, raw):
        return [DefinitionProblem(field="definition", message=f"has more than {MAX_VALUES:,} values")]
    return [DefinitionProblem(field=".".join(path), message=message) for path, message in _walk(raw, ())]


def _has_at_most(most: int, raw: Mapping[str, Any]) -> bool:
    """Looks no further than it must."""
    waiting: list[object] = [raw]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            most -= len(value)
            if most < 0:
                return False
            waiting.extend(value.values() if isinstance(value, dict) else value)
    return True


def _walk(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if len(path) > _MAX_DEPTH:
        yield path, "is nested too deeply"
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str) or unshowable(key):
                yield path, f"has a key that is not plain text: {key!r:.60}"
            else:
                yield from _walk(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _walk(item, (*path, str(i)))
    elif (problem := _problem(value)) is not None:
        yield path, problem


def _problem(value: object) -> str | None:
    if isinstance(value, str):
        bad = unshowable(value)
        return not_allowed(bad) if bad else None
    if isinstance(value, float) and not math.isfinite(value):
        return "must be a finite number"
    if isinstance(value, int | float) and abs(value) > _MAX_NUMBER:
        return "is too large a number"
    if not isinstance(value, int | float | bool | None):
        return f"must be text, a number, true or false, not {type(value).__name__}"
    return None
