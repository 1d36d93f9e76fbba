"""JSON bodies read strictly: what two readers could understand differently, or nobody can store, is refused.

Python's own reader takes NaN, the last of two equal keys, and text that PostgreSQL has no place for.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from ngxlab.core.errors import BadRequest, FieldProblem, Invalid
from ngxlab.core.payload import not_allowed

_MAX_DEPTH = 64
Path = tuple[str, ...]


def parse(body: bytes) -> Any:
    """The value. Raises BadRequest for what is no JSON, and Invalid with the field of each value that is refused."""
    try:
        value = json.loads(body, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_int=_whole)
    except RecursionError:
        raise _invalid([((), "is nested too deeply")]) from None
    except UnicodeDecodeError as error:
        raise BadRequest(f"The body is not UTF-8 text: {error.reason} at byte {error.start}.") from None
    except json.JSONDecodeError as error:
        raise BadRequest(f"The body is not JSON: {error.msg} at character {error.pos}.") from None
    if problems := list(_problems(value)):
        raise _invalid(problems)
    return value


def _invalid(problems: list[tuple[Path, str]]) -> Invalid:
    errors = [FieldProblem(field=_shown(".".join(path)), message=message) for path, message in problems]
    return Invalid("; ".join(f"{problem.field}: {problem.message}" for problem in errors), errors=errors)


def _shown(text: str) -> str:
    """The text without what an answer cannot contain either."""
    return "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise _invalid([((twice,), "occurs twice in one object")])
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise _invalid([((), f"{name} is no number of JSON")])


def _whole(digits: str) -> int | float:
    """Integers with more digits than Python reads become infinite, which their field refuses."""
    try:
        return int(digits)
    except ValueError:
        return math.inf


def _problems(body: Any) -> Iterator[tuple[Path, str]]:
    """One value of each level at a time, so that a long list takes no more memory than a short one."""
    levels: list[Iterator[tuple[Path, Any]]] = [iter([((), body)])]
    while levels:
        if (found := next(levels[-1], None)) is None:
            levels.pop()
            continue
        path, value = found
        if isinstance(value, dict | list):
            if len(path) >= _MAX_DEPTH:
                yield path[:8], "is nested too deeply"
                return
            if isinstance(value, dict):
                yield from ((path, f"has a key that {not_allowed(bad)}") for key in value if (bad := unstorable(key)))
            levels.append(_inside(path, value))
        elif isinstance(value, str) and (bad := unstorable(value)):
            yield path, not_allowed(bad)
        elif isinstance(value, float) and not math.isfinite(value):
            yield path, "is too large a number"


def _inside(path: Path, value: dict[str, Any] | list[Any]) -> Iterator[tuple[Path, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return (((*path, str(key)), item) for key, item in items)


def unstorable(text: str) -> str | None:
    """The first NUL or lone surrogate, which PostgreSQL cannot store."""
    if text.isascii() and "\0" not in text:
        return None
    return next((c for c in text if c == "\0" or "\ud800" <= c <= "\udfff"), None)
