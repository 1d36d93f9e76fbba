"""What every request body is made of: strict objects, text that can be shown, and numbers that can be stored.

A payload takes a number for a number only: not ``true``, not ``"5"``. Text is checked once for all bodies
(``core.json_text``); names are checked more closely here, since they are shown beside others.
"""

import unicodedata
from enum import Enum
from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, StringConstraints

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


def not_allowed(character: str) -> str:
    return f"has the character U+{ord(character):04X}, which is not allowed"


def _one_line(text: str) -> str:
    if (bad := unshowable(text, lines=False)) is not None:
        raise ValueError(not_allowed(bad))
    if not text:
        raise ValueError("must not be blank")
    return text


def _prose(text: str) -> str:
    if (bad := unshowable(text)) is not None:
        raise ValueError(not_allowed(bad))
    return text


OneLine = Annotated[str, StringConstraints(strip_whitespace=True), AfterValidator(_one_line)]
Prose = Annotated[str, AfterValidator(_prose)]
Name = Annotated[OneLine, Field(min_length=1, max_length=120)]

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
