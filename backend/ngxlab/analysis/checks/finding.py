"""What a check's rule returns."""

from typing import NamedTuple

from ngxlab.analysis.schemas import CheckSeverity

GRAVITY: dict[CheckSeverity, int] = {"pass": 0, "info": 1, "unavailable": 2, "warning": 3, "error": 4}


class Finding(NamedTuple):
    """``message`` says what was measured. ``remedy`` is ``None`` for a pass and where the check could not be made."""

    severity: CheckSeverity
    message: str
    remedy: str | None = None


def passed(message: str) -> Finding:
    return Finding("pass", message)


def unavailable(reason: str) -> Finding:
    """The data that the rule needs are missing."""
    return Finding("unavailable", reason)
