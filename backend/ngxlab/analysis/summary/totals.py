"""Sums of values that may be missing."""

from collections.abc import Sequence
from typing import TypeVar

Number = TypeVar("Number", int, float)


def total(values: Sequence[Number | None]) -> Number | None:
    """The sum, or ``None`` if a value is missing or there is none: a partial sum would be too small."""
    present = [value for value in values if value is not None]
    return sum(present) if present and len(present) == len(values) else None
