"""What a check's rule returns."""

from decimal import Decimal
from typing import NamedTuple

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.analysis.schemas import CheckSeverity

GRAVITY: dict[CheckSeverity, int] = {"pass": 0, "info": 1, "unavailable": 2, "warning": 3, "error": 4}


class Finding(NamedTuple):
    """``message`` says what was measured. ``remedy`` is ``None`` for a pass and where the check could not be made."""

    severity: CheckSeverity
    message: Sentence
    remedy: str | None = None


def passed(template: str, **values: str | float) -> Finding:
    return Finding("pass", say(template, **values))


def unavailable(template: str, **values: str | float) -> Finding:
    """The data that the rule needs are missing."""
    return Finding("unavailable", say(template, **values))


def figure(value: float, significant: int = 2) -> str:
    """Rounded, and never as a power of ten: ``0.034``, ``3.3``, ``100``, ``1,600``."""
    return f"{Decimal(f'{value:.{significant}g}'):,f}"
