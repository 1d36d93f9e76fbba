"""What every request body is made of: strict objects, text that can be shown, and numbers that can be stored.

A payload takes a number for a number only: not ``true``, not ``"5"``. Text is checked once for all bodies
(:func:`parse`); names are checked more closely, since they are shown beside others.

What two readers could understand differently, or nobody can store, is refused: Python's own reader takes NaN, the last
of two equal keys, and text that PostgreSQL has no place for.
"""

import json
import math
import unicodedata
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any, NoReturn, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

from ngxlab_contracts.sentences import Sentence, say
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, StringConstraints

from ngxlab.core.errors import BadRequest, FieldProblem, Invalid, described

_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They reverse the text around them, so that a name can look like another one."""
_UNSHOWABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})
_LINES = frozenset("\n\r\t")


def unshowable(text: str, *, lines: bool = True) -> str | None:
    """The first control character or change of direction. ``lines``: line ends and tabs are none."""
    if text.isprintable() and text.isascii():
        return None
    allowed = _LINES if lines else frozenset()
    return next((c for c in text if c not in allowed and _is_unshowable(c)), None)


def _is_unshowable(character: str) -> bool:
    return character in _DIRECTIONS or unicodedata.category(character) in _UNSHOWABLE


def not_allowed(character: str) -> Sentence:
    return say("has the character {code}, which is not allowed", code=f"U+{ord(character):04X}")


def _one_line(text: str) -> str:
    if (bad := unshowable(text, lines=False)) is not None:
        raise ValueError(not_allowed(bad))
    if not text:
        raise ValueError(say("must not be blank"))
    return text


def _prose(text: str) -> str:
    if (bad := unshowable(text)) is not None:
        raise ValueError(not_allowed(bad))
    return text


OneLine = Annotated[str, StringConstraints(strip_whitespace=True), AfterValidator(_one_line)]
Prose = Annotated[str, AfterValidator(_prose)]
Name = Annotated[OneLine, Field(min_length=1, max_length=120)]


def ascii_address(url: str) -> str:
    """With the name of its host in the letters of ASCII (``xn--…``), none of which looks like another.

    Raises ValueError where other parts of it have others.
    """
    if not url.isascii():
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        url = parts._replace(netloc=f"{host}:{parts.port}" if parts.port else host).geturl()
    if not url.isascii():
        raise ValueError(say("has letters outside of ASCII in other places than the name of its host"))
    return url


Id = Annotated[UUID, Strict(strict=False)]
"""An id in a body, where JSON has only text for it."""

_Choice = TypeVar("_Choice", bound=Enum)
Choice = Annotated[_Choice, Strict(strict=False)]
"""A word of an enumeration."""

MOST_ROWS = 2**31 - 1
"""The largest number of rows, versions and the like; PostgreSQL's integer."""
MOST_POSITION = 2**53
"""The largest position of a stream; JavaScript holds it exactly."""


class Payload(BaseModel):
    """The base of request bodies."""

    model_config = ConfigDict(extra="forbid", strict=True)


_MAX_DEPTH = 64
Path = tuple[str, ...]


def parse(body: bytes) -> Any:
    """The value. Raises BadRequest for what is no JSON, and Invalid with the field of each value that is refused."""
    try:
        value = json.loads(body, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_int=_whole)
    except RecursionError:
        raise _invalid([((), say("is nested too deeply"))]) from None
    except UnicodeDecodeError as error:
        raise BadRequest(
            "The body is not UTF-8 text: {reason} at byte {at}.", reason=error.reason, at=error.start
        ) from None
    except json.JSONDecodeError as error:
        raise BadRequest("The body is not JSON: {reason} at character {at}.", reason=error.msg, at=error.pos) from None
    if problems := list(_problems(value)):
        raise _invalid(problems)
    return value


def _invalid(problems: list[tuple[Path, Sentence]]) -> Invalid:
    errors = [FieldProblem(field=_shown(".".join(path)), message=message) for path, message in problems]
    return Invalid(described(errors), errors=errors)


def _shown(text: str) -> str:
    """The text without what an answer cannot contain either."""
    return "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise _invalid([((twice,), say("occurs twice in one object"))])
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise _invalid([((), say("{name} is no number of JSON", name=name))])


def _whole(digits: str) -> int | float:
    """Integers with more digits than Python reads become infinite, which their field refuses."""
    try:
        return int(digits)
    except ValueError:
        return math.inf


def _problems(body: Any) -> Iterator[tuple[Path, Sentence]]:
    """One value of each level at a time, so that a long list takes no more memory than a short one."""
    levels: list[Iterator[tuple[Path, Any]]] = [iter([((), body)])]
    while levels:
        if (found := next(levels[-1], None)) is None:
            levels.pop()
            continue
        path, value = found
        if isinstance(value, dict | list):
            if len(path) >= _MAX_DEPTH:
                yield path[:8], say("is nested too deeply")
                return
            if isinstance(value, dict):
                yield from (
                    (path, say("has a key that {problem}", problem=not_allowed(bad)))
                    for key in value
                    if (bad := unstorable(key))
                )
            levels.append(_inside(path, value))
        elif isinstance(value, str) and (bad := unstorable(value)):
            yield path, not_allowed(bad)
        elif isinstance(value, float) and not math.isfinite(value):
            yield path, say("is too large a number")


def _inside(path: Path, value: dict[str, Any] | list[Any]) -> Iterator[tuple[Path, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return (((*path, str(key)), item) for key, item in items)


def unstorable(text: str) -> str | None:
    """The first NUL or lone surrogate, which PostgreSQL cannot store."""
    if text.isascii() and "\0" not in text:
        return None
    return next((c for c in text if c == "\0" or "\ud800" <= c <= "\udfff"), None)
