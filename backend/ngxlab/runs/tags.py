"""Tags: short words on runs, by which they are found."""

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

MOST_CHARACTERS = 32
MOST_OF_A_RUN = 20
_SIGNS = "-_."


def normal_tag(text: str) -> str:
    """The one way to write a tag: NFKC, lower case, without blanks around it or ``#`` before it.

    Raises ValueError unless it consists of letters, digits and ``-_.``, and begins with one of the first two.
    """
    plain = unicodedata.normalize("NFKC", text).strip().removeprefix("#").lower()
    tag = unicodedata.normalize("NFKC", plain)
    if not tag or not _is_letter_or_digit(tag[0]) or not all(map(_is_allowed, tag)):
        raise ValueError("consists of letters, digits, and - _ . between them, such as kernel-6.12")
    if len(tag) > MOST_CHARACTERS:
        raise ValueError(f"has at most {MOST_CHARACTERS} characters")
    return tag


def _is_letter_or_digit(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def _is_allowed(character: str) -> bool:
    """Marks are parts of letters, of Indian scripts for instance."""
    return character in _SIGNS or unicodedata.category(character)[0] in "LMN"


Tag = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS), AfterValidator(normal_tag)]
