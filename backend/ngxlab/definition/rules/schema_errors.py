"""pydantic's errors about a definition, in plain words and at the field that the editor shows."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ngxlab_contracts.gaps import PATTERN as GAPS
from ngxlab_contracts.sentences import Sentence, fixed, listed, say
from ngxlab_contracts.streams import HOST_NAME
from pydantic_core import ErrorDetails

from ngxlab.core.payload import not_allowed, unshowable
from ngxlab.definition.problems import DefinitionProblem

_NUMBER = "{n}"
_NUMBERED = {"place": _NUMBER, "example": f"/files/{_NUMBER}"}
_PATTERNS = {
    r"^[a-z0-9][a-z0-9_-]*$": say("must be lower-case letters, digits, '-' and '_', beginning with a letter or digit"),
    r"^[a-z0-9][a-z0-9_.-]*$": say("must be keys of levels, joined by dots"),
    r"^[a-z0-9][a-z0-9._-]*$": say("must name a build of nginx, such as tengine or nginx-1.22.1; the hosts list them"),
    r"^[a-z_][a-z0-9_]*$": say("must be a name of lower-case letters, digits and '_', not beginning with a digit"),
    r"^/\S*$": say("must begin with / and contain no blanks"),
    r"^/[!-~]*$": say("must begin with / and contain only visible ASCII characters (others percent-encoded)"),
    r"^/[^\s{}]*\{n\}[^\s{}]*$": say("must begin with / and contain {place} once, as in {example}", **_NUMBERED),
    r"^/[^\s{}]*(\{n\}[^\s{}]*)?$": say(
        "must begin with / and contain no blanks, and {place} once at most, as in {example}", **_NUMBERED
    ),
    HOST_NAME: say("must be the name of a host, such as www.example.org"),
    GAPS: say("must be as ngxlab mix --replay writes it"),
    r"^[A-Z]{1,20}$": say("must be a method in capital letters, such as GET"),
    r"^\d+(-\d+)?(,\d+(-\d+)?)*$": say("must be a list of CPUs, such as 0-3 or 0,2"),
}
_TEMPLATED = say("must be a whole number, or an expression such as {example}", example="{{ connections }}")
_INTEGER_ERRORS = frozenset({"int_type", "int_parsing", "int_from_float"})
_LEVEL_VALUE = say("must be text, a number, true or false")
_STATUS = say("must be a status such as 429, or a class: 2xx, 3xx, 4xx or 5xx")
_PLACEMENT = say("must be auto, none, or a list of CPUs for each slot")

_WORDS: Mapping[str, str] = {
    "missing": say("is missing"),
    "extra_forbidden": say("there is no such field here"),
    "int_type": say("must be a whole number"),
    "int_parsing": say("must be a whole number"),
    "int_from_float": say("must be a whole number"),
    "int_parsing_size": say("is too large"),
    "float_type": say("must be a number"),
    "float_parsing": say("must be a number"),
    "finite_number": say("must be a finite number"),
    "bool_type": say("must be true or false"),
    "bool_parsing": say("must be true or false"),
    "string_type": say("must be text"),
    "string_unicode": say("must be text"),
    "list_type": say("must be a list"),
    "dict_type": say("must be an object"),
    "model_type": say("must be an object"),
    "model_attributes_type": say("must be an object"),
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries; there are {actual_length}",
    "too_long": "must have at most {max_length} entries; there are {actual_length}",
    "literal_error": "must be {expected}",
    "union_tag_not_found": say("must have a kind"),
    "union_tag_invalid": "kind must be one of {expected_tags}",
}
"""A template has places for what pydantic tells of the error."""


def problems_of(errors: Iterable[ErrorDetails], raw: Mapping[str, Any]) -> list[DefinitionProblem]:
    """One problem for each field, in the order of the errors."""
    by_field: dict[str, list[ErrorDetails]] = {}
    for error in errors:
        by_field.setdefault(field_of(error, raw), []).append(error)
    if isinstance(raw.get("placement"), dict) and any(field.startswith("placement.") for field in by_field):
        by_field.pop("placement", None)  # the other branches of the union: auto and none
    return [DefinitionProblem(field=field, message=_message(field, of_field)) for field, of_field in by_field.items()]


def field_of(error: ErrorDetails, raw: object) -> str:
    """A dotted path without pydantic's additions: the branches of unions, and its mark for a dictionary's key."""
    path: list[str] = []
    here: Any = raw
    branch_of: object = None
    for i, part in enumerate(error["loc"]):
        is_last = i == len(error["loc"]) - 1
        if here is not branch_of and _names_its_branch(here, part) and path[-1:] != ["variables"]:
            branch_of = here  # e.g. action: {kind: signal, signal: STOP}
            continue
        in_object = isinstance(here, dict) and part in here
        in_list = isinstance(here, list) and isinstance(part, int) and part < len(here)
        if in_object or in_list:
            here = here[part]
        elif not (is_last and error["type"] == "missing"):
            continue
        path.append(str(part))
    if error["type"].startswith("union_tag"):
        path.append("kind")
    return ".".join(path)


def _names_its_branch(value: object, part: int | str) -> bool:
    return isinstance(value, dict) and value.get("kind") == part


def _message(field: str, errors: Sequence[ErrorDetails]) -> Sentence:
    kinds = {error["type"] for error in errors}
    if ".variables." in field and len(errors) > 1:
        return _LEVEL_VALUE
    if "_statuses." in field:
        return _STATUS
    patterns = {error["ctx"]["pattern"] for error in errors if error["type"] == "string_pattern_mismatch"}
    if (words := next((one for one in errors if one["type"] == "literal_error"), None)) and len(errors) > 1:
        return say(
            "must be {expected}, or an expression such as {example}",
            expected=_expected(words),
            example="{{ protocol }}",
        )
    if r"\{\{.*\}\}" in patterns or ("string_type" in kinds and kinds & _INTEGER_ERRORS):
        return _TEMPLATED
    if field.split(".", maxsplit=1)[0] == "placement" and len(errors) > 1:
        return _PLACEMENT
    return listed(dict.fromkeys(_words(error) for error in errors), "; ")


def _words(error: ErrorDetails) -> Sentence:
    context = error.get("ctx", {})
    if error["type"] == "string_pattern_mismatch":
        return _PATTERNS.get(context["pattern"], fixed(error["msg"]))
    if error["type"] == "literal_error":
        expected = _expected(error)
        if not isinstance(error["input"], int | float | str):
            return say(_WORDS["literal_error"], expected=expected)
        return say("must be {expected}, not {given}", expected=expected, given=f"{error['input']!r:.60}")
    words = _WORDS.get(error["type"])
    return say(words, **context) if words is not None else fixed(error["msg"])


def _expected(error: ErrorDetails) -> Sentence:
    """``'a', 'b' or 'c'``, as pydantic lists what may stand there."""
    return listed(error["ctx"]["expected"].rsplit(" or ", 1), " or ")


_MAX_DEPTH = 12
_MAX_NUMBER = 2**53
MAX_VALUES = 10_000
"""200 arms of ten factors have 2,600."""


def problems_in_raw(raw: Mapping[str, Any]) -> list[DefinitionProblem]:
    """Values that neither JSON nor PostgreSQL can store unchanged, each with its path."""
    if not _has_at_most(MAX_VALUES, raw):
        message = say("has more than {most:,} values", most=MAX_VALUES)
        return [DefinitionProblem(field="definition", message=message)]
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


def _walk(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Sentence]]:
    if len(path) > _MAX_DEPTH:
        yield path, say("is nested too deeply")
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str) or unshowable(key):
                yield path, say("has a key that is not plain text: {key}", key=f"{key!r:.60}")
            else:
                yield from _walk(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _walk(item, (*path, str(i)))
    elif (problem := _problem(value)) is not None:
        yield path, problem


def _problem(value: object) -> Sentence | None:
    if isinstance(value, str):
        bad = unshowable(value)
        return not_allowed(bad) if bad else None
    if isinstance(value, float) and not math.isfinite(value):
        return say("must be a finite number")
    if isinstance(value, int | float) and abs(value) > _MAX_NUMBER:
        return say("is too large a number")
    if not isinstance(value, int | float | bool | None):
        return say("must be text, a number, true or false, not {kind}", kind=type(value).__name__)
    return None
